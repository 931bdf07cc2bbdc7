import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { b } from "../steps/credentials.ts"
import { settled } from "../steps/eventually.ts"
import { existingPreview, suppliedPreview } from "../steps/existingPreview.ts"
import { bundleSizeBytes, fileSizeBytes, recordingSizeBytes } from "../steps/inputs.ts"
import { readPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"

const foreign: Check = {
  id: "previews.read.foreign",
  profile: "previews",
  title: "A read of another account's preview is refused, and nothing of the preview is told.",
  cost: { requests: 7, bytes: bundleSizeBytes + fileSizeBytes + recordingSizeBytes },
  supplied: suppliedPreview,
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { own, shareId } = yield* existingPreview("preview")
    const { url } = yield* dialect.row(yield* settled(readPreview(shareId)))
    const what = "A read of another account's preview"
    const answer = yield* refuses(readPreview(shareId, b), what, "previews.read.foreign")
    const told = [...own, url?.split("?")[0]].filter((text) => text !== undefined && answer.text.includes(text))
    yield* must(told.length === 0, `${what} tells nothing of it.`, `It told ${told.join(", ")}.`)
  })
}

const unknown: Check = {
  id: "previews.read.unknown",
  profile: "previews",
  title: "A read of a preview that was never made is refused.",
  cost: { requests: 1, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const { unique } = yield* Session
    yield* refuses(readPreview(unique("preview")), "A read of a preview that was never made", "previews.read.unknown")
  })
}

export const visibilityChecks: ReadonlyArray<Check> = [foreign, unknown]
