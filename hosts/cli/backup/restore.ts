import { Effect, Stream } from "effect"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { MetadataTarget } from "../../../core/ports/MetadataSnapshot.ts"
import { keyOf, objectsIn, recordsIn, verifyArchive } from "./archive.ts"
import { countsOf, hostedObjects, totalOf } from "./hostedObjects.ts"
import { inFlight } from "./inFlight.ts"
import { progressBar } from "./progress.ts"
import { ObjectAmiss, putVerified } from "./transfer.ts"

/**
 * Fills an empty deployment from an archive. The whole archive is checked before anything is stored. Objects come
 * first, the metadata last in one transaction, so an interrupted restore leaves a deployment that still counts as
 * empty.
 */
export const restore = Effect.fnUntraced(function* (file: string) {
  const target = yield* MetadataTarget
  const entries = yield* verifyArchive(file)
  yield* target.assertEmpty
  const total = yield* totalOf(hostedObjects(recordsIn(file)))
  const stored = [...entries.keys()].filter((name) => keyOf(name) !== undefined)
  const restored = yield* progressBar("restore", total.bytes)
  yield* Stream.runForEach(objectsIn(file), ({ bytes, key, name }) =>
    Effect.gen(function* () {
      const entry = entries.get(name)
      if (entry === undefined) return yield* new ObjectAmiss({ key, why: "isn't in the manifest" })
      const { contentEncoding, contentType = "application/octet-stream", sha256, sizeBytes } = entry
      const digest = yield* putVerified(
        withoutUndefined({ key, sizeBytes, contentType, contentEncoding }),
        Stream.tap(bytes, (chunk) => restored(chunk.byteLength))
      )
      if (digest !== sha256) return yield* new ObjectAmiss({ key, why: "was altered in the archive meanwhile" })
    })
  )
  yield* target.fill(recordsIn(file))
  const records = recordsIn(file)
  return {
    counts: [...(yield* countsOf(records))],
    total,
    objects: stored.length,
    leftBehind: yield* inFlight(records)
  }
}, Effect.scoped)
