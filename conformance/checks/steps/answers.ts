import { Effect } from "effect"
import { must, type Violation } from "../../dialect/Violation.ts"
import type { Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"

/** The target did what was asked. Which 2xx it answers is its choice, unless the interface names one. */
export const answered2xx = ({ status }: Answer): boolean => status >= 200 && status < 300

/** The target refused the request as a mistake of the caller. A 5xx says that the target failed, so it is no refusal. */
export const isRefused = ({ status }: Answer): boolean => status >= 400 && status < 500

/** Requires a 2xx. `what` begins the sentence: "The reservation". */
export const mustAnswer = (answer: Answer, what: string): Effect.Effect<void, Violation> =>
  must(answered2xx(answer), `${what} returns 2xx.`, `It returned ${answer.status}.`)

/**
 * Requires a 4xx, and answers it. `what` begins the sentence: "The reservation without a key". Which 4xx it is, each target
 * chooses; it is recorded as the choice `${silence}.status`.
 */
export const refuses = Effect.fnUntraced(function* <E, R>(
  request: Effect.Effect<Answer, E, R>,
  what: string,
  silence: string
) {
  const session = yield* Session
  const answer = yield* request
  yield* must(isRefused(answer), `${what} is refused with 4xx.`, `It returned ${answer.status}.`)
  yield* session.observe(`${silence}.status`, answer.status)
  return answer
})

/**
 * Requires that a mistake of the caller is not answered with 5xx. What else is answered is the target's choice. `situation`
 * names it without the area: `reserve.no-body`.
 */
export const mustNotFail = Effect.fnUntraced(function* (area: string, situation: string, answer: Answer) {
  const session = yield* Session
  yield* must(
    answer.status < 500,
    `A mistake of the caller (${situation}) does not return 5xx.`,
    `It returned ${answer.status}.`
  )
  yield* session.observe(`${area}.mistake.${situation}.status`, answer.status)
})

/** Requires the same of a body that isn't JSON, and of one that is a list, POSTed to a path of the API. */
export const mustNotFailOnBodies = Effect.fnUntraced(function* (area: string, path: string, situation: string) {
  const { config, content, exchange } = yield* Session
  const request = { method: "POST", url: `${config.url}/api/v1/${path}`, as: { account: "a", key: "all" } } as const
  const headers = { "content-type": "application/json" }
  const notJson = yield* exchange({ ...request, headers, content: content("not JSON", 40) })
  yield* mustNotFail(area, `${situation}.not-json`, notJson)
  yield* mustNotFail(area, `${situation}.list`, yield* exchange({ ...request, json: [] }))
})
