import { Effect, Stream } from "effect"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { ObjectMissing } from "../../core/ports/ObjectStore.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import type { SignedUrls } from "../signed-urls/SignedUrls.ts"

interface Kept {
  readonly bytes: Uint8Array
  readonly facts: { readonly contentType: string; readonly contentEncoding?: string }
  readonly listed: { readonly contentType: string; readonly contentHash?: string }
}

/** Objects in a Map. An entry is replaced and never changed, so readers and copies can share it. */
export const makeObjects = (urls: SignedUrls["Service"]) => {
  const objects = new Map<ObjectKey, Kept>()

  const find = (key: ObjectKey) =>
    Effect.suspend(() => {
      const kept = objects.get(key)
      return kept === undefined ? Effect.fail(new ObjectMissing()) : Effect.succeed(kept)
    })

  return makeServedStore<never>(urls, {
    receive: Effect.fnUntraced(function* ({ key, sizeBytes, ...facts }, bytes, contentHash) {
      const whole = new Uint8Array(sizeBytes)
      let at = 0
      yield* Stream.runForEach(bytes, (chunk) =>
        Effect.sync(() => {
          whole.set(chunk, at)
          at += chunk.byteLength
        })
      )
      const taken = yield* contentHash
      const { contentType } = facts
      const listed = taken === undefined ? { contentType } : { contentType, contentHash: taken }
      objects.set(key, { bytes: whole, facts, listed })
    }),
    copy: (from, to) => Effect.map(find(from), (kept) => void objects.set(to, kept)),
    list: (folder) =>
      Effect.sync(() =>
        Array.from(objects)
          .filter(([key]) => key.startsWith(`${folder}/`))
          .map(([key, { bytes, listed }]) => ({ ...listed, key, sizeBytes: bytes.byteLength }))
      ),
    open: (key) =>
      Effect.map(find(key), ({ bytes, facts }) => ({
        ...facts,
        sizeBytes: bytes.byteLength,
        stream: (offset, length) => Effect.succeed(Stream.succeed(bytes.subarray(offset, offset + length)))
      })),
    remove: (keys) =>
      Effect.sync(() => {
        for (const key of keys) objects.delete(key)
      }),
    check: Effect.void,
    log: () => Effect.void
  })
}
