import { Context, Effect, Stream } from "effect"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import { MetadataSource, MetadataTarget } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { ObjectWriter } from "../../node/deployment.ts"
import { countsOf, distinctObjects, hostedObjects, totalOf } from "../../node/hostedObjects.ts"
import { inFlight } from "./scope.ts"
import { copyObject, progressBar } from "./transfer.ts"

/** How many objects are copied at once. */
const sideBySide = 8

/**
 * How many of the objects named by records are in a store, and their total size, according to the store's own listing.
 */
const arrived = Effect.fnUntraced(function* (records: Stream.Stream<MetadataRecord, Unavailable>) {
  const listed = new Map((yield* (yield* ObjectStore).list("hosted/")).map(({ key, sizeBytes }) => [key, sizeBytes]))
  return yield* totalOf(Stream.filter(hostedObjects(records), ({ key, sizeBytes }) => listed.get(key) === sizeBytes))
})

/**
 * Copies a deployment into another one that is empty. It first copies the objects, several at once, skipping those
 * already there; then the objects that were hosted meanwhile; last the metadata, in one transaction. An interrupted
 * copy therefore leaves a target without metadata, which counts as empty, and can be continued.
 */
export const copy = Effect.fnUntraced(function* (
  from: Context.Context<MetadataSource | ObjectStore>,
  to: Context.Context<MetadataSource | MetadataTarget | ObjectStore | ObjectWriter>
) {
  const source = Context.get(from, MetadataSource)
  const target = Context.get(to, MetadataTarget)
  const store = Context.get(from, ObjectStore)
  yield* target.assertEmpty
  const seen = new Set<string>()
  let copied = 0

  const objectsOf = (records: Stream.Stream<MetadataRecord, Unavailable>) =>
    Effect.gen(function* () {
      const hosted = distinctObjects(Stream.filter(hostedObjects(records), ({ key }) => !seen.has(key)))
      const done = yield* progressBar("copy", (yield* totalOf(hosted)).bytes)
      yield* Stream.runDrain(
        Stream.mapEffect(
          hosted,
          ({ key, sizeBytes }) =>
            copyObject(store, key, sizeBytes).pipe(
              Effect.provideContext(to),
              Effect.tap((isNew) =>
                Effect.sync(() => {
                  seen.add(key)
                  if (isNew) copied++
                })
              ),
              Effect.andThen(done(sizeBytes))
            ),
          { concurrency: sideBySide, unordered: true }
        )
      )
    }).pipe(Effect.scoped)

  yield* source.snapshot(objectsOf)
  return yield* source.snapshot((records) =>
    Effect.gen(function* () {
      yield* objectsOf(records)
      yield* target.fill(records)
      const [total, there] = [
        yield* totalOf(hostedObjects(records)),
        yield* Effect.provideContext(arrived(records), to)
      ]
      return {
        from: [...(yield* countsOf(records)), ["objects", total.objects] as const, ["bytes", total.bytes] as const],
        to: [
          ...(yield* Context.get(to, MetadataSource).snapshot(countsOf)),
          ["objects", there.objects] as const,
          ["bytes", there.bytes] as const
        ],
        copied,
        leftBehind: yield* inFlight(records)
      }
    })
  )
})
