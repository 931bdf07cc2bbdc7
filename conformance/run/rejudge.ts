import { Effect } from "effect"
import type { Check } from "../checks/steps/Check.ts"
import type { CheckResult } from "../report/Report.ts"
import type { RunContext } from "../session/live.ts"
import { replay } from "../session/replay.ts"
import { judge, type Ended, type Judged } from "./judge.ts"

/** Why the last request of a recorded check had no answer, if so. An expected failure may hide it. */
const noAnswerOf = ({ outcome, reason, violation }: Judged): string | undefined =>
  violation === undefined && (outcome === "no-answer" || outcome === "expected-failure") ? reason : undefined

/**
 * Judges a recorded check again from its exchanges alone, and answers what it observed and created. A recording of
 * other requests than the check makes ends as `suite-fault`.
 */
export const rejudge = Effect.fnUntraced(function* (
  check: Check,
  run: Pick<RunContext, "id" | "config">,
  recorded: Judged & Pick<CheckResult, "exchanges" | "unanswered">
) {
  const { exchanges, unanswered } = recorded
  const session = replay({
    runId: run.id,
    checkId: check.id,
    config: run.config,
    exchanges,
    noAnswer: noAnswerOf(recorded),
    unanswered
  })
  const judged: Ended = yield* judge(check, session)
  const { made, observations } = yield* session.log
  const unread = yield* session.unread
  const reason = `The recording has ${unread} more exchanges after the end of the check`
  return { judged: unread === 0 ? judged : ({ outcome: "suite-fault", reason } satisfies Ended), observations, made }
})
