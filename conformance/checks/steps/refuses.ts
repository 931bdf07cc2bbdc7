import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { mustRefuse } from "./answers.ts"

/** Is answered with 4xx, or a Violation; with which is for each host to choose, and is observed as the answer to a silence. */
export const refuses = Effect.fnUntraced(function* <E, R>(
  request: Effect.Effect<Answer, E, R>,
  what: string,
  silence: string
) {
  const session = yield* Session
  const answer = yield* request
  yield* mustRefuse(answer, what)
  yield* session.observe(`${silence}.status`, answer.status)
  return answer
})
