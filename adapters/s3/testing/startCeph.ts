/** Starts a Ceph server for tests from the system's packages: an S3 server that checks checksums and signatures. */
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort, isFree } from "../../postgres/testing/freePort.ts"

const run = promisify(execFile)

export interface S3Server {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly bucket: string
}

/** A running Ceph. Its S3 gateway can be stopped and started again with the same port and data. */
export interface Ceph extends S3Server {
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  /** Sends a signal to the gateway, such as one that freezes it. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Runs `radosgw-admin` and answers its output. */
  readonly admin: (...args: ReadonlyArray<string>) => Promise<string>
  /** Stops it and deletes its data. */
  readonly remove: () => Promise<void>
}

const script = join(import.meta.dirname, "ceph.sh")

/** The Debian packages that it needs. */
export const cephPackages = "radosgw ceph-mon ceph-osd ceph-common"

const onPath = (command: string): Promise<boolean> =>
  run("sh", ["-c", `command -v ${command}`]).then(
    () => true,
    () => false
  )

/** Whether its programs are installed. */
export const isCephInstalled = async (): Promise<boolean> =>
  (await Promise.all(["radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph"].map(onPath))).every(Boolean)

const alive = (pid: number): boolean => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** Starts one on free ports with one user and one bucket. This takes about six seconds. */
export const startCeph = async (): Promise<Ceph> => {
  const directory = mkdtempSync(join(tmpdir(), "slipway-ceph-"))
  const [accessKeyId, secretAccessKey] = ["SLIPWAYTEST", crypto.randomUUID()]
  const port = await twoFreePorts()
  await run("bash", [script, "up", directory, String(port)], {
    env: { ...process.env, AK: accessKeyId, SK: secretAccessKey }
  }).catch(() => {
    throw new Error(`Ceph did not start:\n${readFileSync(join(directory, "up.log"), "utf8")}`)
  })
  const server = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "default",
    accessKeyId,
    secretAccessKey,
    bucket: "slipway"
  }
  await makeBucket(server)
  const gateway = () => Number(readFileSync(join(directory, "pids"), "utf8").trim().split("\n").at(-1))
  return {
    ...server,
    stop: async () => {
      const pid = gateway()
      process.kill(pid, "SIGKILL")
      while (alive(pid)) await setTimeout(20)
    },
    signal: (signal) => void process.kill(gateway(), signal),
    start: async () => {
      await run("bash", [script, "gateway", directory])
    },
    admin: async (...args) => {
      const name = ["--admin-socket=", "-n", "client.rgw", "-c", join(directory, "ceph.conf")]
      return (await run("radosgw-admin", [...name, ...args])).stdout
    },
    remove: async () => {
      await run("bash", [script, "down", directory])
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** A free port whose next port is free too. */
const twoFreePorts = async (): Promise<number> => {
  for (;;) {
    const port = await freePort()
    if (await isFree(port + 1)) return port
  }
}

/** Makes the bucket of a server if it is missing. */
const makeBucket = async ({ accessKeyId, bucket, endpoint, region, secretAccessKey }: S3Server): Promise<void> => {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey }
  })
  await client.send(new CreateBucketCommand({ Bucket: bucket })).finally(() => client.destroy())
}
