import { Dialect } from "../../dialect/Dialect.ts"
import type { KeyName } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { keyOf } from "../steps/accounts.ts"
import { refuses } from "../steps/answers.ts"
import { bundleSizeBytes, previewInput } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"

const billed = { fields: { billingKind: "test_run" } }

const refusedFor = (id: string, scoped: KeyName, pair: KeyName, scope: string): CheckTable => ({
  [id]: {
    title: `The reservation of a preview that is billed as a test run is refused without the scope \`${scope}\`.`,
    cost: { requests: 2, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      const { pairsOfScopes = false } = (yield* Session).config
      for (const key of pairsOfScopes ? [scoped, pair] : [scoped]) {
        const attempt = dialect.reservePreview(yield* previewInput("preview", billed), keyOf("a", key))
        yield* refuses(attempt, `A reservation with \`billingKind\` \`test_run\` by the key \`${key}\``, id)
      }
    }
  }
})

/** Which scopes a key needs to reserve a preview that is billed as a test run. */
export const billedChecks: CheckTable = {
  "previews.billed.both-scopes": {
    title: "A preview that is billed as a test run is hosted for a key with `preview_upload` and `test_runs`.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      yield* hostedPreview("preview", billed)
    }
  },
  ...refusedFor("previews.billed.without-test-runs", "previewUpload", "withoutTestRuns", "test_runs"),
  ...refusedFor("previews.billed.without-preview-upload", "testRuns", "withoutPreviewUpload", "preview_upload")
}
