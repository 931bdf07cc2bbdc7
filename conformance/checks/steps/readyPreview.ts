import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { mustAnswer } from "./answers.ts"
import type { PreviewOverrides } from "./inputs.ts"
import { reservePreview } from "./reservePreview.ts"
import { uploadAll } from "./uploadAll.ts"

/** Reserves, uploads and finalizes a preview; `row` is what finalize answered. */
export const readyPreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const dialect = yield* Dialect
  const session = yield* Session
  const as = { account: overrides.account ?? "a", key: "all" } as const
  const { input, reserved } = yield* reservePreview(label, overrides, as)
  yield* uploadAll(reserved)
  const answer = yield* dialect.finalizePreview(reserved, as)
  yield* mustAnswer(answer, "The finalize of a complete preview")
  yield* session.observe("previews.finalize.status", answer.status)
  const row = yield* dialect.row(answer)
  return { input, as, reserved, row }
})
