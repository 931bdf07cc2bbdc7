import { assert } from "@effect/vitest"
import { Effect, Latch, Layer, Redacted, Stream } from "effect"
import { createWriteStream } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { it } from "../../../core/testing/layer.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { createClient } from "../../client/index.ts"
import * as nativeDigests from "../../http/nativeDigests.ts"
import { layerToFill, layerToRead, ObjectWriter } from "../../node/deployment.ts"
import { newKey, runJson, startHere } from "../testing/deployment.ts"
import { slipway, temporaryFolder } from "../testing/slipway.ts"
import { uploadBuild } from "../testing/flow.ts"
import { writeArchive } from "./archive.ts"
import { backUp } from "./backup.ts"
import { storesOf } from "./outcome.ts"
import { restore } from "./restore.ts"

const secret = Redacted.make("a secret of the deployment")
const settings = (data: string) => ({ data, database: undefined, file: undefined, s3: undefined })

/** A host with two builds, of which the one to be deleted was uploaded last. */
const started = Effect.promise(async () => {
  const data = join(temporaryFolder(), "data")
  const host = await startHere({ SLIPWAY_DATA: data })
  const { key } = await newKey({ SLIPWAY_DATA: data })
  const client = createClient({ url: host.url, key })
  const { row: staying } = await uploadBuild(client, 1)
  const { row: going } = await uploadBuild(client, 2)
  return { data, going, key, staying, tar: join(temporaryFolder(), "backup.tar") }
})

/** The stores of a deployment, whose objects are read after `before` was done once. */
const readAfter = (data: string, before: (store: ObjectStore["Service"]) => Effect.Effect<unknown, unknown>) =>
  Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const once = yield* Effect.cached(Effect.orDie(before(store)))
      return { ...store, read: (...of: Parameters<typeof store.read>) => Effect.andThen(once, store.read(...of)) }
    })
  ).pipe(Layer.provideMerge(layerToRead(settings(data))), Layer.merge(nativeDigests.layer))

it.live("what is deleted before its objects are read is left out of the backup, which can be restored", function* () {
  const { data, going, key, staying, tar } = yield* started
  const env = { SLIPWAY_DATA: data }
  const deleted = Effect.promise(async () => {
    await runJson(env, "build", "delete", going.id, "--yes")
    await runJson(env, "gc")
  })
  const made = yield* Effect.provide(
    backUp(createWriteStream(tar), secret),
    readAfter(data, () => deleted)
  )
  assert.deepStrictEqual([...made.leftOut.builds], [going.id])
  assert.strictEqual(made.leftOut.uploads.length, 1)

  const elsewhere = join(temporaryFolder(), "data")
  const restored = yield* Effect.provide(
    restore(tar, { secret, unauthenticated: false }),
    Layer.merge(layerToFill(settings(elsewhere)), nativeDigests.layer)
  )
  assert.deepStrictEqual(restored.counts, made.counts)
  assert.strictEqual(restored.objects, made.total.objects)
  const { url } = yield* Effect.promise(() => startHere({ SLIPWAY_DATA: elsewhere }))
  const read = (id: string) =>
    Effect.promise(async () => {
      const { status } = await fetch(`${url}/api/v1/builds/${id}`, { headers: { authorization: `Bearer ${key}` } })
      return status
    })
  assert.deepStrictEqual([yield* read(staying.id), yield* read(going.id)], [200, 404])
})

it.live("an object that isn't there while its record is makes the backup fail", function* () {
  const { data, tar } = yield* started
  const lost = (store: ObjectStore["Service"]) =>
    Effect.flatMap(store.list("hosted/"), (objects) =>
      Effect.promise(() => rm(join(data, "objects/objects", `${objects.at(-1)?.key},object`)))
    )
  const failed = yield* Effect.flip(Effect.provide(backUp(createWriteStream(tar), secret), readAfter(data, lost)))
  assert.match(String(failed), /hosted\/.* is named by the metadata, and isn't there: .*"slipway build delete \S+"/)
  const { stdout } = yield* Effect.promise(() => slipway(["doctor", "--deep"], { env: { SLIPWAY_DATA: data } }))
  assert.match(stdout, /^✗ hosted objects: 1 of \d+ that the metadata names aren't there: hosted\//m)
})

it.live("a restore stores small objects beside each other, and a large one before it reads on", function* () {
  const folder = temporaryFolder()
  const file = join(folder, "backup.tar")
  const secret = Redacted.make("a secret of the deployment")
  const sizes = [0, 10, 100, 3 * 1024 ** 2, 20]
  yield* writeArchive(createWriteStream(file), {
    secret,
    madeBy: "a test",
    madeAt: "now",
    contents: (archiver) =>
      Effect.forEach(
        sizes,
        (sizeBytes) =>
          archiver.object(
            { key: `hosted/${sizeBytes}`, sizeBytes, contentType: "text/plain" },
            Stream.make(new Uint8Array(sizeBytes))
          ),
        { discard: true }
      )
  })

  const begun: Array<string> = []
  const three = yield* Latch.make()
  /** The first three objects are stored only once all three have come. */
  const waiting = Layer.effect(
    ObjectWriter,
    Effect.map(ObjectWriter, (writer) => ({
      put: Effect.fnUntraced(function* (object, bytes) {
        begun.push(object.key)
        if (begun.length === 3) yield* three.open
        yield* three.await
        yield* writer.put(object, bytes)
      })
    }))
  )
  const filled = layerToFill({ data: folder, database: undefined, file: undefined, s3: undefined })
  const context = yield* Layer.build(Layer.merge(Layer.provideMerge(waiting, filled), nativeDigests.layer))
  const { objects } = yield* Effect.provideContext(restore(file, { secret, unauthenticated: false }), context)
  assert.strictEqual(objects, sizes.length)
  assert.deepStrictEqual(
    begun,
    sizes.map((size) => `hosted/${size}`)
  )
})

it("names the stores that a restore would fill, without the password", () => {
  const local = { data: "/var/lib/slipway", database: undefined, file: undefined, s3: undefined }
  const url = Redacted.make("postgres://slipway:password@db.example/metadata")
  const s3 = { bucket: "builds", endpoint: undefined, region: undefined, prefix: "", forcePathStyle: false }
  assert.strictEqual(storesOf(local), "/var/lib/slipway")
  assert.strictEqual(storesOf({ ...local, file: "/srv/metadata.sqlite" }), "/srv/metadata.sqlite and /var/lib/slipway")
  assert.strictEqual(
    storesOf({ ...local, database: { url, maxConnections: 10 }, s3 }),
    "PostgreSQL (metadata at db.example:5432) and S3 (bucket builds)"
  )
})
