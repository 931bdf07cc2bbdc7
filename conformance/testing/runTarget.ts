import { Effect, Layer } from "effect"
import { checks } from "../checks/index.ts"
import type { Check } from "../checks/steps/Check.ts"
import { plan } from "../run/plan.ts"
import { run, type RunOptions } from "../run/run.ts"
import type { Expectation } from "../run/expectations.ts"
import { Transport } from "../session/transport.ts"
import type { Target } from "./Target.ts"

/** Runs the suite, or other checks, against a target as the command does, over HTTP unless another way is given. For tests. */
export const runTarget = Effect.fnUntraced(function* (
  target: Target,
  options: {
    readonly checks?: ReadonlyArray<Check>
    readonly only?: ReadonlyArray<string>
    readonly expectations?: ReadonlyArray<Expectation>
    readonly runId?: string
    readonly transport?: Transport["Service"]
    readonly signal?: AbortSignal
    readonly onProgress?: RunOptions["onProgress"]
  } = {}
) {
  const { expectations = [], only = [], runId = "0123456789ab", signal, transport } = options
  const selection = { profiles: target.config.profiles, only, readOnly: false }
  return yield* run({
    id: runId,
    ...target,
    plan: yield* plan(options.checks ?? checks, selection),
    expectations,
    onProgress: options.onProgress ?? (() => Effect.void),
    ...(signal === undefined ? {} : { signal })
  }).pipe(Effect.provide(transport === undefined ? Transport.layer : Layer.succeed(Transport, transport)))
})
