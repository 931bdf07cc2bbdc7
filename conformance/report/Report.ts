import { Schema } from "effect"
import { Config } from "../config/Config.ts"
import { Exchange, Sent } from "../session/Exchange.ts"

/**
 * How a check ended. `blocked`: what it prepares with went wrong, and the check that tests that failed. `expected-failure` is a failure that the expected-failure file names with a reason.
 */
export const Outcome = Schema.Literals([
  "passed",
  "failed",
  "blocked",
  "skipped",
  "expected-failure",
  "no-answer",
  "suite-fault"
])
export type Outcome = typeof Outcome.Type

export const Verdict = Schema.Literals(["conformant", "partial", "failed"])
export type Verdict = typeof Verdict.Type

export const CheckResult = Schema.Struct({
  id: Schema.String,
  profile: Schema.Literals(["builds", "previews", "testRuns"]),
  title: Schema.String,
  /** The strongest level of the sentences that it proves. */
  level: Schema.Literals(["MUST", "SHOULD", "MAY"]),
  /** Ids of the sentences. */
  requirements: Schema.Array(Schema.String),
  outcome: Outcome,
  /** Of `failed`, `blocked` and `expected-failure`. */
  violation: Schema.optionalKey(Schema.Struct({ expected: Schema.String, came: Schema.String })),
  /** Why it was skipped, had no answer, was expected to fail, or what the suite's own fault was. */
  reason: Schema.optionalKey(Schema.String),
  /** Of `blocked`: the check that fails of the same. */
  blockedBy: Schema.optionalKey(Schema.String),
  durationMs: Schema.Finite,
  exchanges: Schema.Array(Exchange),
  /** The request that had no answer; the exchanges before it were answered. */
  unanswered: Schema.optionalKey(Sent)
})
export type CheckResult = typeof CheckResult.Type

/** What the target does where the interface leaves it open. It must be the same throughout the run. */
export const Choice = Schema.Struct({
  silence: Schema.String,
  answers: Schema.Array(Schema.Struct({ answer: Schema.Json, checks: Schema.Array(Schema.String) }))
})
export type Choice = typeof Choice.Type

/** A whole run: the requests, the answers and the results. It holds no key, no token and no signature. */
export const Report = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  suite: Schema.Struct({ version: Schema.String, digest: Schema.String }),
  interface: Schema.Struct({ digest: Schema.String }),
  run: Schema.Struct({
    id: Schema.String,
    startedAt: Schema.String,
    durationMs: Schema.Finite,
    readOnly: Schema.Boolean,
    /** The ids of the checks that were planned; the same ids, in the same order, are in `checks`. */
    planned: Schema.Array(Schema.String)
  }),
  config: Config,
  /** Of each profile that is claimed. */
  verdicts: Schema.Record(Schema.String, Verdict),
  checks: Schema.Array(CheckResult),
  choices: Schema.Array(Choice),
  /** What the run made on the target, and which remains there unless it was cleaned up. */
  ledger: Schema.Array(
    Schema.Struct({
      check: Schema.String,
      what: Schema.Literals(["build", "preview", "testRun"]),
      id: Schema.String,
      url: Schema.optionalKey(Schema.String)
    })
  ),
  /** How many resources of the ledger were deleted after the run, and which remain, with the reason. */
  cleanup: Schema.optionalKey(Schema.Struct({ removed: Schema.Int, left: Schema.Array(Schema.String) })),
  /** The author's signature over the rest of the report. Both values are in base64; the key is in DER (SPKI). */
  signature: Schema.optionalKey(
    Schema.Struct({ algorithm: Schema.Literal("ed25519"), publicKey: Schema.String, value: Schema.String })
  )
})
export type Report = typeof Report.Type
