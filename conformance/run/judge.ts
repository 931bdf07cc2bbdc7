import { Cause, Effect, Exit, Layer } from "effect"
import { Skipped, type Check } from "../checks/steps/Check.ts"
import { Violation } from "../dialect/Violation.ts"
import * as Dialect from "../dialect/layer.ts"
import type { CheckResult } from "../report/Report.ts"
import type { OpenSession } from "../session/SessionLog.ts"
import { NoAnswer, Session } from "../session/Session.ts"
import { SuiteFault } from "../session/SuiteFault.ts"

/** How a check ended. Expectations and verdicts are applied elsewhere. */
export type Judged = Pick<CheckResult, "outcome" | "violation" | "reason" | "blockedBy">

/** The same before it is known how the check of the step ended in which it failed. */
export type Ended = Judged & { readonly step?: string | undefined }

const ended = (id: string, exit: Exit.Exit<void, Violation | Skipped | NoAnswer>): Ended => {
  if (Exit.isSuccess(exit)) return { outcome: "passed" }
  const error = Cause.squash(exit.cause)
  if (error instanceof Violation) {
    const { came, expected, step } = error
    return { outcome: "failed", violation: { expected, came }, ...(step === undefined || step === id ? {} : { step }) }
  }
  if (error instanceof Skipped) return { outcome: "skipped", reason: error.reason }
  if (error instanceof NoAnswer) return { outcome: "no-answer", reason: error.reason }
  return { outcome: "suite-fault", reason: error instanceof SuiteFault ? error.reason : Cause.pretty(exit.cause) }
}

/** Runs a check in a live or recorded session. A defect of the check becomes the outcome `suite-fault`. */
export const judge = Effect.fnUntraced(function* (check: Check, { log: kept, session }: OpenSession) {
  const layer = Dialect.layer.pipe(Layer.provideMerge(Layer.succeed(Session, session)))
  const judged = ended(check.id, yield* Effect.exit(Effect.provide(check.run, layer)))
  const { redact } = yield* kept
  const { reason, violation } = judged
  return {
    ...judged,
    ...(reason === undefined ? {} : { reason: redact(reason) }),
    ...(violation === undefined
      ? {}
      : { violation: { expected: redact(violation.expected), came: redact(violation.came) } })
  } satisfies Ended
})
