import { Effect } from "effect"
import type { Slot } from "../../dialect/Dialect.ts"
import { must } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { keyOf } from "../steps/accounts.ts"
import { isRefused, refuses } from "../steps/answers.ts"
import {
  bundleSizeBytes,
  fileSizeBytes,
  ownFile,
  ownRecording,
  recordingSizeBytes,
  threeFiles,
  threeRecordings
} from "../steps/inputs.ts"
import {
  finalizePreview,
  hostedPreview,
  mustFinalize,
  mustStillWait,
  reservePreview,
  shareIdOf,
  standing,
  uploadedPreview
} from "../steps/previews.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { afterFinalizeChecks, foreignFinalizeChecks } from "../uploads/finalize.ts"
import { previewFlow } from "../uploads/Flow.ts"

/** The objects that may be missing, each the last of its kind: `slot` is its place among those of {@link incomplete}. */
const objects = {
  bundle: { slot: 0, text: "the bundle", sizeBytes: bundleSizeBytes },
  file: { slot: 2, text: "one of two files", sizeBytes: fileSizeBytes },
  recording: { slot: 4, text: "one of two recordings", sizeBytes: recordingSizeBytes }
} as const
const bytes = bundleSizeBytes + 2 * (fileSizeBytes + recordingSizeBytes)

/** A preview of a bundle, two files and two recordings, all uploaded except one. */
const incomplete = Effect.fnUntraced(function* (missing: keyof typeof objects) {
  const [files, recordings] = [yield* threeFiles("preview"), yield* threeRecordings("preview")]
  const declared = { files: files.slice(0, 2), recordings: recordings.slice(0, 2) }
  const { reserved } = yield* reservePreview("preview", declared)
  const isMissing = (_: Slot, index: number) => index === objects[missing].slot
  yield* uploadAll({ ...reserved, slots: reserved.slots.filter((slot, index) => !isMissing(slot, index)) })
  return { reserved, uploadMissing: uploadAll({ ...reserved, slots: reserved.slots.filter(isMissing) }) }
})

const refusedWithout = (missing: keyof typeof objects): CheckTable => ({
  [`previews.finalize.missing-${missing}`]: {
    title: `The finalize of a preview is refused, and the preview isn't hosted, when ${objects[missing].text} never arrived.`,
    cost: { requests: 8, bytes: bytes - objects[missing].sizeBytes },
    *run() {
      const { reserved, uploadMissing } = yield* incomplete(missing)
      const shareId = yield* shareIdOf(reserved)
      const before = yield* standing(shareId)
      const what = `The finalize of a preview without ${objects[missing].text}`
      yield* refuses(finalizePreview(reserved), what, `previews.finalize.missing-${missing}`)
      yield* mustStillWait(shareId, before, Effect.andThen(uploadMissing, finalizePreview(reserved)))
    }
  }
})

/** When a preview is hosted, and by whose key. */
export const finalizeChecks: CheckTable = {
  "previews.finalize.hosted-url": {
    title: "Finalize answers the hosted URL of the preview.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      const { row } = yield* hostedPreview("preview")
      const expected = "Finalize answers the hosted URL, as `url` or where `answers.previewUrl` of the config says."
      yield* must(row.url !== undefined, expected, row.answer.text)
    }
  },
  "previews.finalize.all-objects": {
    title: "A preview with a file and a recording is hosted once every slot has its bytes.",
    cost: { requests: 5, bytes: bundleSizeBytes + fileSizeBytes + recordingSizeBytes },
    *run() {
      const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
      yield* hostedPreview("preview", declared)
    }
  },
  ...refusedWithout("bundle"),
  ...refusedWithout("file"),
  ...refusedWithout("recording"),
  "previews.finalize.after-missing": {
    title: "A preview whose finalize was refused for a missing recording is hosted once the recording has arrived.",
    cost: { requests: 8, bytes },
    *run() {
      const { reserved, uploadMissing } = yield* incomplete("recording")
      // The checks above report a finalize that isn't refused.
      if (!isRefused(yield* finalizePreview(reserved))) return
      yield* uploadMissing
      yield* mustFinalize(reserved, " that was refused before")
    }
  },
  ...foreignFinalizeChecks(previewFlow),
  "previews.finalize.other-key": {
    title: "Another key of the account that reserved finalizes the preview.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      const { reserved } = yield* uploadedPreview("preview")
      yield* mustFinalize(reserved, " with another key of its account", keyOf("a", "previewUpload"))
    }
  },
  "previews.finalize.unknown-token": {
    title: "A finalize with an unknown token is refused.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      const { unique } = yield* Session
      const { shareId } = yield* uploadedPreview("preview")
      const attempt = finalizePreview({ shareId, token: unique("token") })
      yield* refuses(attempt, "A finalize with an unknown token", "previews.finalize.unknown-token")
    }
  },
  ...afterFinalizeChecks(previewFlow)
}
