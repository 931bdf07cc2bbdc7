/**
 * Whether an implementation of the interface, in any language, keeps it: the checks, a run of them against a target, and its report.
 * `slipway conformance` is this as a command (docs/conformance.md); a test suite of your own runs the checks so:
 *
 * ```ts
 * const { config, keys } = yield* load({ file: "slipway-conformance.json", flags: [] })
 * const selected = yield* plan(checks, { profiles: config.profiles, only: ["builds.put"], readOnly: false })
 * const options = { id: crypto.randomUUID(), config, keys, plan: selected, expectations: [], onProgress: () => Effect.void }
 * const { exitCode, report } = yield* Effect.provide(run(options), Transport.layer)
 * ```
 */
export { checks } from "./checks/index.ts"
export { Config, Refused } from "./config/Config.ts"
export { load } from "./config/load/load.ts"
export { Report } from "./report/Report.ts"
export { requirements } from "./requirements/index.ts"
export { readExpectations } from "./run/judge.ts"
export { exitCodes, plan, Unreachable } from "./run/plan.ts"
export type { ExitCode } from "./run/plan.ts"
export { run } from "./run/run.ts"
export { Transport } from "./session/transport.ts"
export { diff, verify } from "./verify/verify.ts"
