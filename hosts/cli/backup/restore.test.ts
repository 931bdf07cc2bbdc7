import { assert, it } from "@effect/vitest"
import { Effect, Latch, Layer, Redacted, Stream } from "effect"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import * as nativeDigests from "../../http/nativeDigests.ts"
import { layerToFill, ObjectWriter } from "../../node/deployment.ts"
import { temporaryFolder } from "../testing/slipway.ts"
import { writeArchive } from "./archive.ts"
import { restore } from "./restore.ts"

it.live("a restore stores small objects beside each other, and a large one before it reads on", () =>
  Effect.gen(function* () {
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
        put: (object, bytes) =>
          Effect.gen(function* () {
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
  }).pipe(Effect.scoped)
)
