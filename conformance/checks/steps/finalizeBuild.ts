import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Reserved } from "../../dialect/Dialect.ts"
import { mustAnswer } from "./answers.ts"
import { a } from "./credentials.ts"

/** Finalizes a build whose upload is complete, and answers its row. */
export const finalizeBuild = Effect.fnUntraced(function* ({ token }: Reserved, as = a) {
  const dialect = yield* Dialect
  const answer = yield* dialect.finalizeBuild(token, as)
  yield* mustAnswer(answer, "The finalize of a complete upload")
  return yield* dialect.row(answer)
})
