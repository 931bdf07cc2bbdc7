/**
 * What all tests of a vitest run share: one PostgreSQL, one S3 server, one bundled `slipway` program and the packed
 * package. Each starts when a
 * test first asks for it, and is removed when the run ends. `SLIPWAY_TEST_POSTGRES_URL` and `SLIPWAY_TEST_S3_ENDPOINT` name
 * running servers instead. The suites on S3 are among the slower tests; without a server they are skipped, and the run says
 * so.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { startPostgres } from "../adapters/postgres/testing/startPostgres.ts"
import { cephPackages, isCephInstalled, startCeph, type S3Server } from "../adapters/s3/testing/startCeph.ts"
import { suite } from "../conformance/run/suite.ts"
import { engineSets } from "../hosts/http/testing/engineSets.ts"
import { bundleCommand } from "./command.ts"

interface Started<A> {
  readonly server: A
  readonly remove: () => Promise<void>
}

const ended = () => Promise.resolve()

const postgres = async (): Promise<Started<{ readonly url: string }>> => {
  const url = process.env["SLIPWAY_TEST_POSTGRES_URL"]
  if (url !== undefined) return { server: { url }, remove: ended }
  const server = await startPostgres()
  return { server: { url: server.url }, remove: server.remove }
}

/** The S3 server that the environment names. */
const namedS3 = (): S3Server | undefined => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId = "",
    AWS_SECRET_ACCESS_KEY: secretAccessKey = "",
    SLIPWAY_TEST_S3_BUCKET: bucket = "slipway",
    SLIPWAY_TEST_S3_ENDPOINT: endpoint,
    SLIPWAY_TEST_S3_REGION: region = "us-east-1"
  } = process.env
  return endpoint === undefined ? undefined : { endpoint, region, bucket, accessKeyId, secretAccessKey }
}

const s3 = async (): Promise<Started<S3Server>> => {
  const named = namedS3()
  if (named !== undefined) return { server: named, remove: ended }
  const { accessKeyId, bucket, endpoint, region, remove, secretAccessKey } = await startCeph()
  return { server: { endpoint, region, bucket, accessKeyId, secretAccessKey }, remove }
}

/** The `slipway` command, bundled as it is published. */
const command = async (): Promise<Started<{ readonly main: string }>> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-command-"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  symlinkSync(join(import.meta.dirname, "..", "node_modules"), join(folder, "node_modules"))
  await bundleCommand({ main: "hosts/cli/main.ts", to: join(folder, "cli"), suite: await Effect.runPromise(suite) })
  return {
    server: { main: join(folder, "cli", "main.js") },
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true }))
  }
}

/** What `npm pack` makes, which builds it first. */
const packed = async (): Promise<Started<{ readonly tarball: string }>> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-packed-"))
  const root = join(import.meta.dirname, "..")
  await promisify(execFile)("npm", ["pack", root, "--pack-destination", folder], { cwd: root })
  const [name = ""] = readdirSync(folder)
  return {
    server: { tarball: join(folder, name) },
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true }))
  }
}

/** Starts when it is first asked for, and only once. */
const whenAsked = <A>(start: () => Promise<Started<A>>) => {
  let started: Promise<Started<A>> | undefined
  return {
    server: async () => (await (started ??= start())).server,
    remove: async () => (await started)?.remove()
  }
}

/** A folder in memory, where Linux has it and there is room; otherwise the usual one. */
const quickest = (): string => {
  const [memory, room] = ["/dev/shm", 2 * 1024 ** 3]
  if (process.env["TMPDIR"] !== undefined || !existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize < room ? tmpdir() : memory
}

/**
 * Gives the tests a temporary folder. What they store need not survive a crash, and forcing it to a disk is what many of
 * them wait for most; so it is in memory where it can be, except for the slower tests, which run on the disk.
 */
const useScratchFolder = (): (() => void) => {
  const folder = mkdtempSync(join(quickest(), "slipway-tests-"))
  // PostgreSQL's files are below it, and its server runs as another user.
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

export default async function servers(project: TestProject): Promise<() => Promise<void>> {
  const isSlow = engineSets().includes("slow")
  const removeScratch = isSlow ? () => undefined : useScratchFolder()
  const hasS3 = isSlow && (namedS3() !== undefined || (await isCephInstalled()))
  const shared = {
    "/postgres": whenAsked(postgres),
    "/s3": whenAsked(s3),
    "/command": whenAsked(command),
    "/packed": whenAsked(packed)
  }
  const asked = createServer((request, response) => {
    const wanted = Object.entries(shared).find(([path]) => path === request.url)?.[1]
    const answer = wanted?.server() ?? Promise.reject(new Error(`there is no server ${request.url}`))
    answer.then(
      (server) => response.end(JSON.stringify(server)),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await once(asked.listen(0, "127.0.0.1"), "listening")
  const address = asked.address()
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  project.provide("servers", `http://127.0.0.1:${address.port}`)
  project.provide("hasS3", hasS3)
  return async () => {
    asked.close()
    const removed = await Promise.allSettled(Object.values(shared).map(({ remove }) => remove()))
    for (const one of removed) if (one.status === "rejected") console.error(one.reason)
    removeScratch()
    if (isSlow && !hasS3) {
      console.log(
        "\nSkipped: the suites on S3, because there is no S3 server here. To run them, install Ceph's\n" +
          `(apt-get install --no-install-recommends ${cephPackages}), or name a server that may be\n` +
          "written to: SLIPWAY_TEST_S3_ENDPOINT, SLIPWAY_TEST_S3_BUCKET, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY.\n"
      )
    }
  }
}
