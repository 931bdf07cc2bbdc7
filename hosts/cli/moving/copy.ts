import { Context, Effect, Stream } from "effect"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import { MetadataSource, MetadataTarget } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { ObjectWriter } from "../../node/moving/ObjectWriter.ts"
import { countsOf, hostedObjects, totalOf } from "./hostedObjects.ts"
import { inFlight } from "./inFlight.ts"
import { progressBar } from "./progress.ts"
import { copyObject } from "./transfer.ts"

/** How many objects are on their way at once. */
const sideBySide = 8

/** How many of the objects that records name are in a store, and their bytes together, by its own listing. */
const arrived = Effect.fnUntraced(function* (records: Stream.Stream<MetadataRecord, Unavailable>) {
  const listed = new Map((yield* (yield* ObjectStore).list("hosted/")).map(({ key, sizeBytes }) => [key, sizeBytes]))
  return yield* totalOf(Stream.filter(hostedObjects(records), ({ key, sizeBytes }) => listed.get(key) === sizeBytes))
})

/**
 * Copies what one deployment keeps into another that is empty. Objects come first, several at once, those that are there
 * already left as they are; then those that were hosted meanwhile; then the metadata in one piece. So a copy that was
 * broken off has an empty target still, and goes on where it was.
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
      const hosted = Stream.filter(hostedObjects(records), ({ key }) => !seen.has(key))
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
