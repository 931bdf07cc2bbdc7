/** Functions of an embedder that run where Slipway reserves and refuses, whichever route the request came by. */
import { Context, Effect, Schema } from "effect"
import { InvalidRequest } from "../../core/model/Problem.ts"
import type { AskedReservation, BeforeReserve } from "../../core/service/beforeReserve.ts"
import { callHook } from "./authenticate.ts"
import type { HttpProblem } from "./HttpProblem.ts"

export type { AskedReservation }

/**
 * Runs before each reservation of a build or preview, also one that is sent again. A text refuses it: the answer is 400 with the
 * text as its `detail`. If it fails, the answer is 503, and the log has the reason.
 */
export type BeforeReserveHook = (
  caller: { readonly account: string; readonly scopes: ReadonlyArray<string>; readonly keyId?: string | undefined },
  reservation: AskedReservation
) => string | undefined | Promise<string | undefined>

/** Observes each problem that the API or a page answers. What it throws is logged. */
export type OnProblem = (problem: typeof HttpProblem.Encoded & { readonly requestId: string }) => void

/** The embedder's {@link OnProblem}. */
export const CurrentOnProblem = Context.Reference<OnProblem | undefined>("slipway/hosts/http/OnProblem", {
  defaultValue: () => undefined
})

/** Calls the embedder's {@link OnProblem}. */
export const observeProblem = (problem: typeof HttpProblem.Encoded & { readonly requestId: string }) =>
  Effect.flatMap(CurrentOnProblem, (observe) =>
    observe === undefined
      ? Effect.void
      : Effect.ignore(
          Effect.tapError(
            Effect.try(() => observe(problem)),
            (cause) => Effect.logError("onProblem failed", cause)
          )
        )
  )

const Refusal = Schema.UndefinedOr(Schema.String)

/** The embedder's hook as the core runs it. */
export const toBeforeReserve = (hook: BeforeReserveHook | undefined): (typeof BeforeReserve)["Service"] =>
  hook === undefined
    ? () => Effect.void
    : ({ account, keyId, scopes }, reservation) =>
        Effect.flatMap(
          callHook("beforeReserve", Refusal, () => hook({ account: account.name, keyId, scopes }, reservation)),
          (detail) =>
            detail === undefined
              ? Effect.void
              : Effect.fail(new InvalidRequest({ detail, issues: [{ path: "", message: detail }] }))
        )
