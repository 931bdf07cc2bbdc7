import { DateTime, Effect, Stream } from "effect"
import type { Writable } from "node:stream"
import packageJson from "slipway/package.json" with { type: "json" }
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { writeArchive } from "./archive.ts"
import { comparedWith } from "./asUploaded.ts"
import { countsOf, hostedObjects, totalOf } from "./hostedObjects.ts"
import { inFlight } from "./inFlight.ts"
import { progressBar } from "./progress.ts"
import { ObjectAmiss } from "./transfer.ts"

/**
 * Writes everything that a deployment stores at this moment, and returns the counts of it. An object whose content isn't
 * what was uploaded is written as it is, and its key is in `damaged`.
 */
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
        const compared = comparedWith(yield* store.list("hosted/"))
        const damaged: Array<string> = []
        yield* writeArchive(out, {
          madeBy: packageJson.version,
          madeAt,
          contents: (archiver) =>
            Effect.andThen(
              archiver.records(records),
              Stream.runForEach(hosted, (one) => {
                const { key } = one
                return Effect.gen(function* () {
                  const object = yield* store.read(key)
                  const { contentEncoding, contentType, sizeBytes, stream } = object
                  const { isAsUploaded, pass } = yield* compared(one, object)
                  yield* archiver.object(
                    withoutUndefined({ key, sizeBytes, contentType, contentEncoding }),
                    Stream.tap(pass(stream), (chunk) => sent(chunk.byteLength))
                  )
                  if (!(yield* isAsUploaded)) damaged.push(key)
                }).pipe(
                  Effect.scoped,
                  Effect.catchTags({
                    ObjectMissing: () =>
                      Effect.fail(new ObjectAmiss({ key, why: "is named by the metadata, and isn't there" })),
                    RangeNotSatisfiable: Effect.die
                  })
                )
              })
            )
        })
        return { counts: [...(yield* countsOf(records))], total, damaged, leftBehind: yield* inFlight(records) }
      }).pipe(Effect.scoped)
    )
  })
