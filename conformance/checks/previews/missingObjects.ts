import { Effect } from "effect"
import type { Slot } from "../../dialect/Dialect.ts"
import type { Check } from "../steps/Check.ts"
import { isRefused } from "../steps/answers.ts"
import { bundleSizeBytes, fileSizeBytes, recordingSizeBytes, threeFiles, threeRecordings } from "../steps/inputs.ts"
import { finalizePreview, mustFinalize, mustStillWait, shareIdOf, standing } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { reservePreview } from "../steps/reservePreview.ts"
import { uploadAll } from "../steps/uploadAll.ts"

/** What may be missing, by where its slot stands among those of {@link incomplete}: the last of its kind. */
const places = { bundle: 0, file: 2, recording: 4 } as const
type Missing = keyof typeof places

/** A preview of a bundle, two files and two recordings, all of it uploaded but for one. */
const incomplete = Effect.fnUntraced(function* (missing: Missing) {
  const [files, recordings] = [yield* threeFiles("preview"), yield* threeRecordings("preview")]
  const declared = { files: files.slice(0, 2), recordings: recordings.slice(0, 2) }
  const { reserved } = yield* reservePreview("preview", declared)
  const isMissing = (_: Slot, index: number) => index === places[missing]
  yield* uploadAll({ ...reserved, slots: reserved.slots.filter((slot, index) => !isMissing(slot, index)) })
  const uploadMissing = uploadAll({ ...reserved, slots: reserved.slots.filter(isMissing) })
  return { reserved, uploadMissing }
})

const bytes = bundleSizeBytes + 2 * (fileSizeBytes + recordingSizeBytes)
const texts = { bundle: "the bundle", file: "one of two files", recording: "one of two recordings" }
const sizes = { bundle: bundleSizeBytes, file: fileSizeBytes, recording: recordingSizeBytes }

const refusedWithout = (missing: Missing): Check => ({
  id: `previews.finalize.missing-${missing}`,
  profile: "previews",
  title: `The finalize of a preview is refused, and the preview isn't hosted, when ${texts[missing]} never arrived.`,
  cost: { requests: 8, bytes: bytes - sizes[missing] },
  run: Effect.gen(function* () {
    const { reserved, uploadMissing } = yield* incomplete(missing)
    const shareId = yield* shareIdOf(reserved)
    const before = yield* standing(shareId)
    const what = `The finalize of a preview without ${texts[missing]}`
    yield* refuses(finalizePreview(reserved), what, `previews.finalize.missing-${missing}`)
    yield* mustStillWait(shareId, before, Effect.andThen(uploadMissing, finalizePreview(reserved)))
  })
})

const thenComplete: Check = {
  id: "previews.finalize.after-missing",
  profile: "previews",
  title: "A preview whose finalize was refused for a missing recording is hosted once that has arrived.",
  cost: { requests: 8, bytes },
  run: Effect.gen(function* () {
    const { reserved, uploadMissing } = yield* incomplete("recording")
    // A finalize that isn't refused is for the checks above.
    if (!isRefused(yield* finalizePreview(reserved))) return
    yield* uploadMissing
    yield* mustFinalize(reserved, "that was refused before")
  })
}

export const missingObjectChecks: ReadonlyArray<Check> = [
  refusedWithout("bundle"),
  refusedWithout("file"),
  refusedWithout("recording"),
  thenComplete
]
