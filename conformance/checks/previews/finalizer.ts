import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { isRefused } from "../steps/answers.ts"
import { b, keyOf } from "../steps/credentials.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { finalizePreview, mustFinalize, mustStillWait, standing, uploadedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"

const foreignAccount: Check = {
  id: "previews.finalize.foreign-account",
  profile: "previews",
  title: "A preview finalized by another account's key is refused and isn't hosted.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { reserved, shareId } = yield* uploadedPreview("preview")
    const before = yield* standing(shareId)
    const what = "A finalize by another account than the one that reserved"
    yield* refuses(finalizePreview(reserved, b), what, "previews.finalize.foreign-account")
    yield* mustStillWait(shareId, before, finalizePreview(reserved))
  })
}

const afterForeign: Check = {
  id: "previews.finalize.after-foreign",
  profile: "previews",
  title: "A preview that another account tried to finalize is hosted when its own account finalizes it.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { reserved } = yield* uploadedPreview("preview")
    // A finalize that isn't refused is for the check above.
    if (!isRefused(yield* finalizePreview(reserved, b))) return
    yield* mustFinalize(reserved, "that another account tried to finalize")
  })
}

const otherKey: Check = {
  id: "previews.finalize.other-key",
  profile: "previews",
  title: "Another key of the account that reserved finalizes the preview.",
  cost: { requests: 3, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { reserved } = yield* uploadedPreview("preview")
    yield* mustFinalize(reserved, "with another key of its account", keyOf("a", "previewUpload"))
  })
}

const unknownToken: Check = {
  id: "previews.finalize.unknown-token",
  profile: "previews",
  title: "A finalize with a token that was never given is refused.",
  cost: { requests: 3, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const { shareId } = yield* uploadedPreview("preview")
    const attempt = dialect.finalizePreview({ shareId, token: session.unique("token") }, keyOf("a"))
    yield* refuses(attempt, "A finalize with a token that was never given", "previews.finalize.unknown-token")
  })
}

export const finalizerChecks: ReadonlyArray<Check> = [foreignAccount, afterForeign, otherKey, unknownToken]
