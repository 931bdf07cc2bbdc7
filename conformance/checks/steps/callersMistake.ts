import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"

/**
 * What is answered to a mistake of the caller is silent, but for that it isn't a failure of the host. `situation` is the
 * silence without the name of the profile's area: `reserve.no-body`.
 */
export const mustNotBeItsOwn = Effect.fnUntraced(function* (area: string, situation: string, answer: Answer) {
  const session = yield* Session
  yield* must(
    answer.status < 500,
    `A mistake of the caller (${situation}) is not answered as one of the host.`,
    `It answered ${answer.status}.`
  )
  yield* session.observe(`${area}.mistake.${situation}.status`, answer.status)
})
