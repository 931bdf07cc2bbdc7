import { Effect } from "effect"
import type { Check } from "../checks/steps/Check.ts"
import { judge } from "../run/judge.ts"
import { judgeAgain } from "../run/judgeAgain.ts"
import { live } from "../session/live.ts"
import { Transport } from "../session/transport.ts"
import type { Target } from "./Target.ts"

/** Makes checks of a target, and of their recordings again: each with how it ended, live and replayed. For tests. */
export const tryChecks = (checks: ReadonlyArray<Check>, target: Target, runId = "a-test-run") =>
  Effect.forEach(
    checks,
    Effect.fnUntraced(function* (check) {
      const run = { id: runId, ...target }
      const session = yield* live(run, check.id)
      const judged = yield* judge(check, session)
      const { exchanges, made, observations } = yield* session.kept
      const replayed = yield* judgeAgain(check, run, { ...judged, exchanges })
      return { id: check.id, judged, replayed, exchanges, observations, made }
    }),
    { concurrency: target.config.concurrency }
  ).pipe(Effect.provide(Transport.layer))
