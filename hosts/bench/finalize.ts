/**
 * `npm run bench:finalize` finalizes previews of 10, 100 and 1,000 files, each with a digest to verify, on files and, if Ceph
 * is installed, on S3. It prints time and live memory per object. Neither may grow with the number of files.
 */
import Table from "cli-table3"
import { Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as filesystem from "../../adapters/filesystem/index.ts"
import * as memory from "../../adapters/memory/index.ts"
import * as s3 from "../../adapters/s3/index.ts"
import { isCephInstalled, startCeph } from "../../adapters/s3/testing/startCeph.ts"
import { routes } from "../../adapters/signed-urls/routes.ts"
import { Administration } from "../../core/service/administration/Administration.ts"
import { Settings } from "../../core/service/Settings.ts"
import { createClient } from "../client/index.ts"
import type { Engines } from "../node/engines/engines.ts"
import { layerServer } from "../node/server.ts"

const counts = [10, 100, 1000]
const rounds = 3
const content = Buffer.alloc(16_384, "slipway ")
const contentHash = createHash("sha256").update(content).digest("hex")
const type = "application/octet-stream"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const liveBytes = (): number => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const middle = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

type Client = ReturnType<typeof createClient>

/** Uploads a preview and measures its finalize: the milliseconds, and the peak of live bytes above those at the start. */
const finalized = async (client: Client, files: number) => {
  const reserved = await client.previews.reserve({
    contentHash,
    bundleSizeBytes: content.byteLength,
    bundleContentType: type,
    files: Array.from({ length: files - 1 }, (_, index) => ({
      path: `file-${index}`,
      sizeBytes: content.byteLength,
      contentType: type,
      contentHash
    }))
  })
  const slots = [reserved.slots.bundle, ...reserved.slots.files]
  const next = slots.values()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const slot of next) await client.put(slot, content)
    })
  )
  const before = liveBytes()
  let most = before
  const sampling = setInterval(() => (most = Math.max(most, liveBytes())), 250)
  const start = performance.now()
  await client.previews.finalize(reserved.token)
  const millis = performance.now() - start
  clearInterval(sampling)
  return { millis, bytes: Math.max(most, liveBytes()) - before }
}

/** The figures of one store, by the number of files. */
const measure = async (engines: Engines<unknown>) => {
  const server = layerServer({
    engines,
    secret: Redacted.make("a secret of the bench"),
    host: "127.0.0.1",
    port: 0,
    settings: {},
    shutdownTimeout: Duration.zero
  })
  const runtime = ManagedRuntime.make(server)
  const client = await runtime.runPromise(
    Effect.gen(function* () {
      const admin = yield* Administration
      yield* admin.createAccount({ name: "bench" })
      const { key } = yield* admin.createKey({ account: "bench", name: "bench", scopes: ["preview_upload"] })
      return createClient({ url: (yield* Settings).url, key })
    })
  )
  await finalized(client, 100)
  const figures = []
  for (const files of counts) {
    const taken = []
    for (let round = 0; round < rounds; round += 1) taken.push(await finalized(client, files))
    figures.push({
      files,
      millis: middle(taken.map(({ millis }) => millis / files)),
      kilobytes: middle(taken.map(({ bytes }) => bytes / files / 1000))
    })
  }
  await runtime.dispose()
  return figures
}

const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"))
const objects = filesystem.layer({ directory: folder })
const stores: Record<string, Engines<unknown>> = {
  files: {
    metadata: "memory",
    objects: "files",
    ports: Layer.mergeAll(memory.layerMetadata, objects),
    routes: routes.pipe(Layer.provide(objects))
  }
}
const ceph = (await isCephInstalled()) ? await startCeph() : undefined
if (ceph === undefined) process.stderr.write("Ceph is not installed: S3 is left out\n")
else {
  const { accessKeyId, bucket, endpoint, region, secretAccessKey } = ceph
  const credentials = {
    accessKeyId: Redacted.make(accessKeyId),
    secretAccessKey: Redacted.make(secretAccessKey)
  }
  stores["S3 (Ceph)"] = {
    metadata: "memory",
    objects: "S3",
    ports: Layer.mergeAll(
      memory.layerMetadata,
      s3.layer({ bucket, endpoint, region, forcePathStyle: true, credentials })
    ),
    routes: Layer.empty
  }
}

const table = new Table({
  head: ["objects on", "files", "ms a file", "against 10", "live kB a file", "against 10"],
  colAligns: ["left", "right", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})
for (const [name, engines] of Object.entries(stores)) {
  process.stderr.write(`${name}\n`)
  const figures = await measure(engines)
  const [ten] = figures
  for (const { files, kilobytes, millis } of figures) {
    table.push([
      name,
      files,
      millis.toFixed(2),
      (millis / (ten?.millis ?? NaN)).toFixed(2),
      kilobytes.toFixed(1),
      (kilobytes / (ten?.kilobytes ?? NaN)).toFixed(2)
    ])
  }
}
console.log(table.toString())
await ceph?.remove()
rmSync(folder, { recursive: true, force: true })
