import { Effect, Stream } from "effect"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectMissing } from "../../core/ports/ObjectStore.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import { copiedMetadata } from "../object-store/ObjectDriver.ts"
import type { SignedUrls } from "../signed-urls/SignedUrls.ts"

interface Kept {
  readonly bytes: Uint8Array
  readonly facts: { readonly contentType: string; readonly contentEncoding?: string; readonly contentHash?: string }
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
      objects.set(key, { bytes: whole, facts: { ...facts, ...withoutUndefined({ contentHash: taken }) } })
    }),
    copy: (from, to, contentType) =>
      Effect.map(
        find(from),
        ({ bytes, facts }) => void objects.set(to, { bytes, facts: copiedMetadata(facts, contentType) })
      ),
    list: (folder) =>
      Effect.sync(() =>
        Array.from(objects)
          .filter(([key]) => key.startsWith(`${folder}/`))
          .map(([key, { bytes, facts }]) => ({ ...facts, key, sizeBytes: bytes.byteLength }))
      ),
    scan: (folder, after = "") =>
      Stream.suspend(() =>
        Stream.fromIterable(
          Array.from(objects)
            .filter(([key]) => key.startsWith(`${folder}/`) && key > after)
            .map(([key, { bytes, facts }]) => ({ ...facts, key, sizeBytes: bytes.byteLength, cursor: key }))
            .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        )
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
