import { Effect, Option, Stream } from "effect"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { receiving, whole } from "./alteredObjects.ts"
import type { FaultsByCase } from "./Mutant.ts"

export const receivingMutants: FaultsByCase<ObjectStore> = {
  "a connection that breaks before the announced end is refused and stores nothing": {
    "stores the bytes that came before a connection broke": receiving((sink) => (object, bytes) => {
      const come: Array<Uint8Array> = []
      const seen = Stream.tap(bytes, (chunk) => Effect.sync(() => void come.push(chunk)))
      const stored = Effect.suspend(() => {
        const sizeBytes = come.reduce((sum, { byteLength }) => sum + byteLength, 0)
        return Effect.orDie(sink.receive({ ...object, sizeBytes }, Stream.fromIterable(come)))
      })
      return Effect.onError(sink.receive(object, seen), () => stored)
    })
  },
  "a connection that breaks in the middle of chunks is refused and leaves the object that is there": {
    "removes the object before the new bytes have come": receiving(
      (sink, store) => (object, bytes) => Effect.andThen(store.remove([object.key]), sink.receive(object, bytes))
    )
  },
  "a PUT replaces the whole object and its type, even when the earlier one was longer": {
    "keeps the type of the object that was there": receiving(
      (sink, store) => (object, bytes) =>
        Effect.gen(function* () {
          const there = yield* Effect.option(whole(store, object.key))
          const contentType = Option.isSome(there) ? there.value.contentType : object.contentType
          yield* sink.receive({ ...object, contentType }, bytes)
        })
    )
  },
  "3 PUTs of 9 MiB to one key at once leave one of the bodies, whole, and its digest": {
    "stages concurrent PUTs above 4 MiB in one file for each key": receiving((sink) => {
      const files = new Map<string, Uint8Array>()
      return (object, bytes, digest) => {
        if (object.sizeBytes <= 4 * 1024 ** 2) return sink.receive(object, bytes, digest)
        const file = files.get(object.key) ?? new Uint8Array(object.sizeBytes)
        files.set(object.key, file)
        let at = 0
        const staged = Stream.runForEach(bytes, (chunk) =>
          Effect.sync(() => {
            file.set(chunk, at)
            at += chunk.byteLength
          })
        )
        const published = Effect.suspend(() => sink.receive(object, Stream.make(file.slice()), digest))
        return Effect.andThen(staged, published)
      }
    })
  },
  "32 PUTs to one key at once leave one of the bodies, whole, and its digest": {
    "mixes the bodies of concurrent PUTs": receiving((sink) => {
      const coming = new Map<string, Uint8Array>()
      return (object, bytes) =>
        Effect.gen(function* () {
          const other = coming.get(object.key)
          const own = new Uint8Array(object.sizeBytes)
          coming.set(object.key, own)
          let at = 0
          const seen = Stream.tap(bytes, (chunk) =>
            Effect.sync(() => {
              if (at + chunk.byteLength <= own.byteLength) own.set(chunk, at)
              at += chunk.byteLength
            })
          )
          yield* sink
            .receive(object, seen)
            .pipe(Effect.ensuring(Effect.sync(() => coming.get(object.key) === own && coming.delete(object.key))))
          if (other?.byteLength !== own.byteLength) return
          const half = own.byteLength >> 1
          yield* sink.receive(object, Stream.make(other.subarray(0, half), own.subarray(half)))
        })
    })
  }
}
