import { Effect } from "effect"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes, fileSizeBytes, recordingSizeBytes } from "../steps/inputs.ts"
import { hostedPreview, ownFile, ownRecording } from "../steps/previews.ts"

const hostedUrl: Check = {
  id: "previews.finalize.hosted-url",
  profile: "previews",
  title: "Finalize answers the hosted URL of the preview.",
  cost: { requests: 3, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { row } = yield* hostedPreview("preview")
    yield* must(
      row.url !== undefined,
      "Finalize answers the hosted URL, as `url` or where `answers.previewUrl` of the config says.",
      row.answer.text
    )
  })
}

const allObjects: Check = {
  id: "previews.finalize.all-objects",
  profile: "previews",
  title: "A preview with a file and a recording is hosted once every slot took its bytes.",
  cost: { requests: 5, bytes: bundleSizeBytes + fileSizeBytes + recordingSizeBytes },
  run: Effect.gen(function* () {
    const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
    yield* hostedPreview("preview", declared)
  })
}

export const finalizeChecks: ReadonlyArray<Check> = [hostedUrl, allObjects]
