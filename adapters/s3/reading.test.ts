import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { newPrefix } from "./testing/newPrefix.ts"
import { openStore, presignPut, putThrough } from "./testing/openStore.ts"
import { hasS3 } from "./testing/server.ts"

const sizeBytes = 24 * 1024 ** 2

describe.skipIf(!hasS3)("an object of S3 that is too large for what lies in buffers on its way", () => {
  it.live("is read as it was when it was opened, even when it is replaced and removed meanwhile", () =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* newPrefix)
      const key = "uploads/large"
      const url = yield* presignPut(store, key, sizeBytes)
      yield* putThrough(url, new Uint8Array(sizeBytes).fill(1))
      const opened = [yield* store.read(key), yield* store.read(key, { offset: 1 })]
      yield* putThrough(url, new Uint8Array(sizeBytes).fill(2))
      yield* store.remove([key])
      assert.strictEqual((yield* Effect.flip(store.read(key)))._tag, "ObjectMissing")
      for (const { length, stream } of opened) {
        let count = 0
        yield* Stream.runForEach(stream, (bytes) =>
          Effect.sync(() => {
            count += bytes.byteLength
            assert.isTrue(bytes.every((byte) => byte === 1))
          })
        )
        assert.strictEqual(count, length)
      }
    }).pipe(Effect.scoped)
  )
})
