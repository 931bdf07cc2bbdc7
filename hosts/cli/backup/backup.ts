import { DateTime, Effect, Stream } from "effect"
import type { Writable } from "node:stream"
import packageJson from "slipway/package.json" with { type: "json" }
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { writeArchive } from "./archive.ts"
import { countsOf, hostedObjects, totalOf } from "./hostedObjects.ts"
import { inFlight } from "./inFlight.ts"
import { progressBar } from "./progress.ts"
import { ObjectAmiss } from "./transfer.ts"

/** Writes everything that a deployment stores at this moment, and returns the counts of it. */
export const backUp = (out: Writable) =>
  Effect.gen(function* () {
    const source = yield* MetadataSource
    const store = yield* ObjectStore
    const madeAt = DateTime.formatIso(yield* DateTime.now)
    return yield* source.snapshot((records) =>
      Effect.gen(function* () {
        const hosted = hostedObjects(records)
        const total = yield* totalOf(hosted)
        const sent = yield* progressBar("backup", total.bytes)
        yield* writeArchive(out, {
          madeBy: packageJson.version,
          madeAt,
          contents: (archiver) =>
            Effect.andThen(
              archiver.records(records),
              Stream.runForEach(hosted, ({ key }) =>
                Effect.gen(function* () {
                  const { contentEncoding, contentType, sizeBytes, stream } = yield* store.read(key)
                  yield* archiver.object(
                    withoutUndefined({ key, sizeBytes, contentType, contentEncoding }),
                    Stream.tap(stream, (chunk) => sent(chunk.byteLength))
                  )
                }).pipe(
                  Effect.scoped,
                  Effect.catchTags({
                    ObjectMissing: () =>
                      Effect.fail(new ObjectAmiss({ key, why: "is named by the metadata, and isn't there" })),
                    RangeNotSatisfiable: Effect.die
                  })
                )
              )
            )
        })
        return { counts: [...(yield* countsOf(records))], total, leftBehind: yield* inFlight(records) }
      }).pipe(Effect.scoped)
    )
  })
