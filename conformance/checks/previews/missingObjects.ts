import { Effect } from "effect"
import type { Slot } from "../../dialect/Dialect.ts"
import type { Check } from "../Check.ts"
import { isRefused } from "../steps/answers.ts"
import { bundleSizeBytes, fileSizeBytes, recordingSizeBytes } from "../steps/inputs.ts"
import {
  finalizePreview,
  mustFinalize,
  mustStillWait,
  ownFile,
  ownRecording,
  shareIdOf,
  standing
} from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { reservePreview } from "../steps/reservePreview.ts"
import { uploadAll } from "../steps/uploadAll.ts"

/** What may be missing, by where its slot stands among those of {@link incomplete}. */
const objects = ["bundle", "file", "recording"] as const
type Missing = (typeof objects)[number]

/** A preview of a bundle, a file and a recording, all of it uploaded but for one. */
const incomplete = Effect.fnUntraced(function* (missing: Missing) {
  const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
  const { reserved } = yield* reservePreview("preview", declared)
  const isMissing = (_: Slot, index: number) => objects[index] === missing
  yield* uploadAll({ ...reserved, slots: reserved.slots.filter((slot, index) => !isMissing(slot, index)) })
  const uploadMissing = uploadAll({ ...reserved, slots: reserved.slots.filter(isMissing) })
  return { reserved, uploadMissing }
})

const bytes = bundleSizeBytes + fileSizeBytes + recordingSizeBytes
const sizes = { bundle: bundleSizeBytes, file: fileSizeBytes, recording: recordingSizeBytes }

const refusedWithout = (missing: Missing): Check => ({
  id: `previews.finalize.missing-${missing}`,
  profile: "previews",
  title: `The finalize of a preview whose ${missing} never arrived is refused, and the preview isn't hosted.`,
  cost: { requests: 6, bytes: bytes - sizes[missing] },
  run: Effect.gen(function* () {
    const { reserved, uploadMissing } = yield* incomplete(missing)
    const shareId = yield* shareIdOf(reserved)
    const before = yield* standing(shareId)
    const what = `The finalize of a preview without its ${missing}`
    yield* refuses(finalizePreview(reserved), what, `previews.finalize.missing-${missing}`)
    yield* mustStillWait(shareId, before, Effect.andThen(uploadMissing, finalizePreview(reserved)))
  })
})

const thenComplete: Check = {
  id: "previews.finalize.after-missing",
  profile: "previews",
  title: "A preview whose finalize was refused for a missing recording is hosted once that has arrived.",
  cost: { requests: 6, bytes },
  run: Effect.gen(function* () {
    const { reserved, uploadMissing } = yield* incomplete("recording")
    // A finalize that isn't refused is for the checks above.
    if (!isRefused(yield* finalizePreview(reserved))) return
    yield* uploadMissing
    yield* mustFinalize(reserved, "that was refused before")
  })
}

export const missingObjectChecks: ReadonlyArray<Check> = [...objects.map(refusedWithout), thenComplete]
