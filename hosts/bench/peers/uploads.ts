/** Whole verified uploads, beside those to Debian's docker-registry, which verifies the SHA-256 and syncs what it stores, too. */
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../../../adapters/postgres/testing/freePort.ts"
import { createClient } from "../../client/index.ts"
import { costing, type Figure } from "./load.ts"
import { ofFolder, startQuiet, type Row } from "./rows.ts"
import { quantile } from "../program.ts"
import { reserveBody, type Scratch, type Side, startSlipway } from "./slipway.ts"

/** How many uploads are under way at once. */
const concurrent = 8

const sizes = [
  ["16 KiB", 2 ** 14],
  ["1 MiB", 2 ** 20],
  ["16 MiB", 2 ** 24]
] as const

/** Uploads for so many seconds. Each upload has other bytes: what is stored already is cheaper. */
const uploadingEach = (
  side: Side,
  sizeBytes: number,
  seconds: number,
  upload: (bytes: Buffer<ArrayBuffer>) => Promise<void>
): Promise<Figure> =>
  costing(side.pid, async () => {
    const millis = new Array<number>()
    const began = performance.now()
    const work = async () => {
      const bytes = Buffer.from(randomBytes(sizeBytes))
      while (performance.now() - began < seconds * 1000) {
        randomBytes(16).copy(bytes)
        const start = performance.now()
        await upload(bytes)
        millis.push(performance.now() - start)
      }
    }
    await Promise.all(Array.from({ length: concurrent }, work))
    return {
      requests: millis.length,
      perSecond: millis.length / ((performance.now() - began) / 1000),
      p50Millis: quantile(millis, 0.5),
      p99Millis: quantile(millis, 0.99)
    }
  })

const toSlipway = ({ key, url }: Side) => {
  const client = createClient({ url, key })
  return async (bytes: Buffer<ArrayBuffer>): Promise<void> => {
    const { slots, token } = await client.builds.reserve(reserveBody(bytes))
    await client.put(slots.bundle, bytes)
    await client.builds.finalize(token)
  }
}

const toRegistry =
  ({ url }: Side) =>
  async (bytes: Buffer<ArrayBuffer>): Promise<void> => {
    const begun = await fetch(`${url}/v2/bench/blobs/uploads/`, { method: "POST" })
    await begun.arrayBuffer()
    const location = new URL(begun.headers.get("location") ?? "", url)
    location.searchParams.set("digest", `sha256:${createHash("sha256").update(bytes).digest("hex")}`)
    const headers = { "content-type": "application/octet-stream" }
    const done = await fetch(location, { method: "PUT", headers, body: bytes })
    if (done.status !== 201) throw new Error(`docker-registry answered ${done.status}: ${await done.text()}`)
    await done.arrayBuffer()
  }

const startRegistry = async (scratch: Scratch, program: string): Promise<Side> => {
  const port = await freePort()
  const folder = mkdtempSync(join(scratch.folder, "registry-"))
  mkdirSync(join(folder, "data"))
  writeFileSync(
    join(folder, "config.yml"),
    JSON.stringify({
      version: 0.1,
      log: { level: "error", accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, "data") } },
      http: { addr: `127.0.0.1:${port}` }
    })
  )
  const url = `http://127.0.0.1:${port}`
  const args = ["serve", join(folder, "config.yml")]
  return ofFolder(await startQuiet(program, args, { cwd: folder, env: scratch.env, url, key: "" }), folder)
}

/** The rows; none where the registry can't be had. */
export const uploadRows = async (options: {
  readonly scratch: Scratch
  readonly main: string
  readonly root: string
  readonly stopLater: (side: Side) => void
}): Promise<ReadonlyArray<Row>> => {
  const { main, root, scratch } = options
  const program = scratch.program("registry")
  if (program === undefined) return []
  const slipway = await startSlipway(main, root, {})
  options.stopLater(slipway)
  const registry = await startRegistry(scratch, program)
  options.stopLater(registry)
  return sizes.map(([size, sizeBytes]) => ({
    work: `whole upload of ${size}, embedded, ${concurrent} at a time`,
    sides: [
      {
        name: "Slipway",
        run: (seconds: number) => uploadingEach(slipway, sizeBytes, seconds, toSlipway(slipway))
      },
      {
        name: "docker-registry",
        run: (seconds: number) => uploadingEach(registry, sizeBytes, seconds, toRegistry(registry))
      }
    ]
  }))
}
