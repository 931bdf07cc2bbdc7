import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { mustAnswer } from "./answers.ts"
import { a } from "./credentials.ts"
import { previewInput } from "./inputs.ts"
import type { PreviewOverrides } from "./inputs.ts"

/** Reserves a preview. */
export const reservePreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}, as = a) {
  const dialect = yield* Dialect
  const session = yield* Session
  const input = yield* previewInput(label, overrides)
  const answer = yield* dialect.reservePreview(input, as)
  yield* mustAnswer(answer, "The reservation of a preview")
  yield* session.observe("previews.reserve.status", answer.status)
  const reserved = yield* dialect.reserved(answer, input)
  if (reserved.shareId !== undefined) yield* session.made({ what: "preview", id: reserved.shareId, url: reserved.url })
  return { input, as, reserved }
})
