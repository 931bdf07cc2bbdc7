import { Effect } from "effect"
import { Dialect, type Slot } from "../../dialect/Dialect.ts"
import { testedBy } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { keyOf } from "../steps/accounts.ts"
import { refuses } from "../steps/answers.ts"
import {
  bundleSizeBytes,
  fileSizeBytes,
  fiveFiles,
  ownFile,
  ownRecording,
  recordingSizeBytes,
  threeRecordings
} from "../steps/inputs.ts"
import {
  finalizePreview,
  hostedPreview,
  mustFinalize,
  mustStillWait,
  readHosted,
  reservePreview,
  shareIdOf,
  standing,
  uploadedPreview
} from "../steps/previews.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { afterFinalizeChecks, foreignFinalizeChecks, tokenChecks } from "../uploads/finalize.ts"
import { buildFlow, previewFlow } from "../uploads/Flow.ts"

/** The objects that may be missing: `slots` are the places of its kind among those of {@link incomplete}. */
const objects = {
  bundle: { slots: [0], text: "the bundle", sizeBytes: bundleSizeBytes },
  file: { slots: [1, 2, 3], text: "any of three files", sizeBytes: fileSizeBytes },
  recording: { slots: [4, 5, 6], text: "any of three recordings", sizeBytes: recordingSizeBytes }
} as const
const bytes = bundleSizeBytes + 3 * (fileSizeBytes + recordingSizeBytes)

/** A preview of a bundle, three files and three recordings, all uploaded except one, and another uploaded twice. */
const incomplete = Effect.fnUntraced(function* (missing: number) {
  const dialect = yield* Dialect
  // A target may know bytes that it has stored before.
  const label = `preview ${missing}`
  const [files, recordings] = [yield* fiveFiles(label), yield* threeRecordings(label)]
  const { reserved } = yield* reservePreview(label, { files: files.slice(0, 3), recordings })
  const isMissing = (_: Slot, index: number) => index === missing
  const others = reserved.slots.filter((slot, index) => !isMissing(slot, index))
  yield* uploadAll({ ...reserved, slots: others })
  // Whether a second PUT is accepted is the target's choice.
  for (const slot of others.slice(0, 1)) yield* dialect.put(slot, slot)
  return { reserved, uploadMissing: uploadAll({ ...reserved, slots: reserved.slots.filter(isMissing) }) }
})

const refusedWithout = (missing: keyof typeof objects): CheckTable => ({
  [`previews.finalize.missing-${missing}`]: {
    title: `The finalize of a preview is refused, and the preview isn't hosted, when ${objects[missing].text} never arrived.`,
    cost: {
      requests: 11 * objects[missing].slots.length,
      bytes: objects[missing].slots.length * (bytes - objects[missing].sizeBytes + twiceBytes(missing))
    },
    *run() {
      for (const slot of objects[missing].slots) {
        const { reserved, uploadMissing } = yield* incomplete(slot)
        const shareId = yield* shareIdOf(reserved)
        const before = yield* standing(shareId)
        const what = `The finalize of a preview without ${objects[missing].text}`
        yield* refuses(finalizePreview(reserved), what, `previews.finalize.missing-${missing}`)
        yield* mustStillWait(shareId, before, Effect.andThen(uploadMissing, finalizePreview(reserved)))
      }
    }
  }
})

/** How many bytes the object has that is uploaded twice: the bundle, or the first file. */
const twiceBytes = (missing: keyof typeof objects): number => (missing === "bundle" ? fileSizeBytes : bundleSizeBytes)

/** When a preview is hosted, and by whose key. */
export const finalizeChecks: CheckTable = {
  "previews.finalize.hosted-url": {
    title: "Finalize returns the hosted URL of the preview.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      // The step requires it of every finalize.
      yield* hostedPreview("preview")
    }
  },
  "previews.finalize.all-objects": {
    title: "A preview with a file and a recording is hosted once every slot has its bytes.",
    cost: { requests: 6, bytes: bundleSizeBytes + fileSizeBytes + recordingSizeBytes },
    *run() {
      const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
      yield* readHosted(yield* hostedPreview("preview", declared))
    }
  },
  ...refusedWithout("bundle"),
  ...refusedWithout("file"),
  ...refusedWithout("recording"),
  "previews.finalize.after-missing": {
    title: "A preview whose finalize was refused for a missing recording is hosted once the recording has arrived.",
    cost: { requests: 11, bytes: bytes + bundleSizeBytes },
    *run() {
      const { reserved, uploadMissing } = yield* incomplete(6)
      const what = "The finalize of a preview without a recording"
      const id = "previews.finalize.missing-recording"
      yield* testedBy(id)(refuses(finalizePreview(reserved), what, id))
      yield* uploadMissing
      yield* mustFinalize(reserved, " that was refused before")
    }
  },
  ...foreignFinalizeChecks(previewFlow),
  ...tokenChecks(previewFlow, buildFlow, "builds"),
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
