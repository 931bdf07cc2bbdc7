/** Functions of an embedder that run where Slipway reserves and refuses, whichever route the request came by. */
import { Context, Effect, Schema } from "effect"
import { ciDetails, type CiDetails } from "../../core/model/Build.ts"
import { InvalidRequest } from "../../core/model/Problem.ts"
import type { AskedReservation, BeforeReserve } from "../../core/service/beforeReserve.ts"
import { callHook } from "./authenticate.ts"
import type { HttpProblem } from "./HttpProblem.ts"

export type { AskedReservation }

/** A refusal, or fields to set. */
type BeforeReserveResult = string | { readonly set: CiDetails } | undefined

/**
 * Runs before each reservation of a build or preview, also one that is sent again. A text refuses it: the answer is 400 with the
 * text as its `detail`. The fields of `set` replace those of the request, with the limits of the API. If it fails or sets another
 * field, the answer is 503, and the log has the reason.
 */
export type BeforeReserveHook = (
  caller: { readonly account: string; readonly scopes: ReadonlyArray<string>; readonly keyId?: string | undefined },
  reservation: AskedReservation
) => BeforeReserveResult | Promise<BeforeReserveResult>

/** The text in place of a problem's own, if it is replaced. */
type ReplacedText = { readonly detail: string } | void

/** A problem as the API answers it. On a page, its `detail` is the text that the page shows. */
type ProblemBody = typeof HttpProblem.Encoded & { readonly requestId: string }

/**
 * Observes each problem that the API or a page answers, which waits for it. What it throws is logged. A returned `detail` replaces the
 * text of the answer. The status, the code and all other fields stay the same.
 */
export type OnProblem = (problem: ProblemBody) => ReplacedText | Promise<ReplacedText>

/** The embedder's {@link OnProblem}. */
export const CurrentOnProblem = Context.Reference<OnProblem | undefined>("slipway/hosts/http/OnProblem", {
  defaultValue: () => undefined
})

const Replaced = Schema.Struct({ detail: Schema.NonEmptyString })

/** Calls the embedder's {@link OnProblem}, and answers the problem with its text. */
export const observeProblem = (problem: ProblemBody): Effect.Effect<ProblemBody> =>
  Effect.flatMap(CurrentOnProblem, (observe) =>
    observe === undefined
      ? Effect.succeed(problem)
      : Effect.tryPromise(async () => observe(problem)).pipe(
          Effect.map((answer) => (Schema.is(Replaced)(answer) ? { ...problem, detail: answer.detail } : problem)),
          Effect.tapError((cause) => Effect.logError("onProblem failed", cause)),
          Effect.orElseSucceed(() => problem)
        )
  )

const HookResult = Schema.UndefinedOr(Schema.Union([Schema.String, Schema.Struct({ set: Schema.Struct(ciDetails) })]))

/** The embedder's hook as the core runs it. */
export const toBeforeReserve = (hook: BeforeReserveHook | undefined): (typeof BeforeReserve)["Service"] =>
  hook === undefined
    ? () => Effect.succeed({})
    : ({ account, keyId, scopes }, reservation) =>
        Effect.flatMap(
          callHook("beforeReserve", HookResult, () => hook({ account: account.name, keyId, scopes }, reservation), {
            onExcessProperty: "error"
          }),
          (answer) =>
            typeof answer === "string"
              ? Effect.fail(new InvalidRequest({ detail: answer, issues: [{ path: "", message: answer }] }))
              : Effect.succeed(answer?.set ?? {})
        )
