import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { KeyName } from "../../session/Exchange.ts"
import type { Check } from "../steps/Check.ts"
import { keyOf } from "../steps/credentials.ts"
import { bundleSizeBytes, previewInput } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"

const billed = { fields: { billingKind: "test_run" } }

const both: Check = {
  id: "previews.billed.both-scopes",
  profile: "previews",
  title: "A preview that is billed as a test run is hosted for a key with `preview_upload` and `test_runs`.",
  cost: { requests: 3, bytes: bundleSizeBytes },
  run: Effect.asVoid(hostedPreview("preview", billed))
}

const refusedFor = (id: string, key: KeyName, scope: string): Check => ({
  id,
  profile: "previews",
  title: `The reservation of a preview that is billed as a test run is refused without the scope \`${scope}\`.`,
  cost: { requests: 1, bytes: 0 },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const attempt = dialect.reservePreview(yield* previewInput("preview", billed), keyOf("a", key))
    yield* refuses(attempt, `A reservation with \`billingKind\` \`test_run\` by the key \`${key}\``, id)
  })
})

export const billedChecks: ReadonlyArray<Check> = [
  both,
  refusedFor("previews.billed.without-test-runs", "previewUpload", "test_runs"),
  refusedFor("previews.billed.without-preview-upload", "testRuns", "preview_upload")
]
