import { Effect, Stream } from "effect"
import { ObjectMissing, ObjectStore } from "../../core/ports/ObjectStore.ts"
import { illegalKey, illegalPrefix, isObjectKey } from "../../core/rules/objectKeys.ts"
import { exactly } from "../signed-urls/exactly.ts"
import { ObjectSink } from "../signed-urls/ObjectSink.ts"
import type { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { inTurns } from "../signed-urls/inTurns.ts"
import { resolveRange } from "../signed-urls/resolveRange.ts"
import { byText } from "./state.ts"

interface Kept {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly contentEncoding?: string
}

/** Objects in a Map. What is kept under a key is replaced as a whole, never changed, so readers and copies share it. */
export const makeObjects = (urls: SignedUrls["Service"]) => {
  const objects = new Map<string, Kept>()

  const sink = ObjectSink.of({
    receive: ({ contentEncoding, contentType, key, sizeBytes }, bytes) =>
      Effect.gen(function* () {
        if (!isObjectKey(key)) return yield* Effect.die(illegalKey(key))
        const whole = new Uint8Array(sizeBytes)
        let at = 0
        yield* Stream.runForEach(exactly(sizeBytes)(bytes), (chunk) =>
          Effect.sync(() => {
            whole.set(chunk, at)
            at += chunk.byteLength
          })
        )
        objects.set(key, { bytes: whole, contentType, ...(contentEncoding === undefined ? {} : { contentEncoding }) })
      })
  })

  const store = ObjectStore.of({
    presignPuts: (requests) => inTurns(requests, urls.put),
    presignGet: (request) => Effect.sync(() => urls.get(request)),
    promote: (from, to) =>
      Effect.suspend(() => {
        if (!isObjectKey(to)) return Effect.die(illegalKey(to))
        const kept = objects.get(from)
        if (kept === undefined) return Effect.fail(new ObjectMissing())
        objects.set(to, kept)
        return Effect.void
      }),
    list: (prefix) =>
      prefix.endsWith("/")
        ? Effect.sync(() =>
            Array.from(objects)
              .filter(([key]) => key.startsWith(prefix))
              .map(([key, { bytes, contentType }]) => ({ key, sizeBytes: bytes.byteLength, contentType }))
              .toSorted((a, b) => byText(a.key, b.key))
          )
        : Effect.die(illegalPrefix(prefix)),
    read: Effect.fnUntraced(function* (key, range) {
      const kept = objects.get(key)
      if (kept === undefined) return yield* new ObjectMissing()
      const { bytes, ...facts } = kept
      const { length, offset } = yield* resolveRange(range, bytes.byteLength)
      const stream = Stream.succeed(bytes.subarray(offset, offset + length))
      return { ...facts, sizeBytes: bytes.byteLength, offset, length, stream }
    }),
    remove: (keys) =>
      Effect.sync(() => {
        for (const key of keys) objects.delete(key)
      }),
    check: Effect.void
  })

  return { store, sink }
}
