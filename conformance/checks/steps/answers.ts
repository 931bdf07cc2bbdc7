import type { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { must } from "../../dialect/Violation.ts"
import type { Violation } from "../../dialect/Violation.ts"

/** It did what was asked. Which 2xx says so is for each host to choose, unless the interface tells. */
export const answered2xx = ({ status }: Answer): boolean => status >= 200 && status < 300

/** It was refused as the caller's mistake. A 5xx is the host's own, and so never a refusal. */
export const isRefused = ({ status }: Answer): boolean => status >= 400 && status < 500

/** Is answered with 2xx, or a Violation. `what` begins the sentence: "The reservation". */
export const mustAnswer = (answer: Answer, what: string): Effect.Effect<void, Violation> =>
  must(answered2xx(answer), `${what} is answered with 2xx.`, `It answered ${answer.status}.`)

/** Is answered with 4xx, or a Violation. `what` begins the sentence: "The reservation without a key". */
export const mustRefuse = (answer: Answer, what: string): Effect.Effect<void, Violation> =>
  must(isRefused(answer), `${what} is refused with 4xx.`, `It answered ${answer.status}.`)
