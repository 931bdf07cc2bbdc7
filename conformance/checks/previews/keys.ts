import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { CheckTable } from "../steps/Check.ts"
import { keyOf } from "../steps/accounts.ts"
import {
  bundleSizeBytes,
  fileSizeBytes,
  previewInput,
  recordingSizeBytes,
  unusual,
  unusualCost
} from "../steps/inputs.ts"
import {
  existingPreview,
  mustFinalize,
  readHosted,
  readPreview,
  suppliedPreview,
  uploadedPreview
} from "../steps/previews.ts"
import { wrongKeyChecks } from "../steps/wrongKeys.ts"
import { previewFlow } from "../uploads/Flow.ts"

const bytes = bundleSizeBytes

/** Which keys the endpoints of previews accept. */
export const keyChecks: CheckTable = {
  ...wrongKeyChecks(
    "previews",
    { scope: "preview_upload", lackedBy: ["builds", "testRuns", "withoutPreviewUpload"] },
    {
      reserve: {
        noun: "A reservation of a preview",
        cost: { requests: 0, bytes: 0 },
        attempt: Effect.map(
          Effect.flatMap(unusual("preview"), (some) => previewInput("preview", some)),
          (input) => ({
            send: (as) => Dialect.use((dialect) => dialect.reservePreview(input, as))
          })
        )
      },
      finalize: {
        noun: "A finalize of a preview",
        cost: { requests: 4 + unusualCost.previews.requests, bytes: bytes + unusualCost.previews.bytes },
        attempt: Effect.map(previewFlow.uploaded("unusual"), ({ mustWait, reserved }) => ({
          send: (as) => previewFlow.finalize(reserved, as),
          prove: mustWait
        }))
      },
      read: {
        noun: "A read of a preview",
        cost: { requests: 6, bytes: bytes + fileSizeBytes + recordingSizeBytes },
        supplied: suppliedPreview,
        attempt: Effect.gen(function* () {
          const { read, shareId } = yield* existingPreview("preview")
          yield* read
          return { send: (as) => readPreview(shareId, as) }
        })
      }
    }
  ),
  "previews.scope.suffices": {
    title: "A key that has only the scope `preview_upload` reserves, finalizes and reads a preview.",
    cost: { requests: 4 + unusualCost.previews.requests, bytes: bytes + unusualCost.previews.bytes },
    *run() {
      const key = keyOf("a", "previewUpload")
      const { input, reserved, shareId } = yield* uploadedPreview("preview", yield* unusual("preview"), key)
      const row = yield* mustFinalize(reserved, " by a key with that scope alone", key)
      yield* readHosted({ input, as: key, row, shareId })
    }
  }
}
