import { Effect, Schema } from "effect"
import type { CheckResult } from "../report/Report.ts"
import { unknownId, type Plan } from "./plan.ts"
import { Refused } from "../config/Refused.ts"

/** A check that is expected to fail, the reason, and the last day (in UTC) of the excuse. */
export const Expectation = Schema.Struct({
  check: Schema.NonEmptyString,
  reason: Schema.NonEmptyString,
  expires: Schema.String.check(
    Schema.isPattern(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, {
      message: "must be a day such as 2027-01-31"
    })
  )
})
export type Expectation = typeof Expectation.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Expectation)))

/** Reads the text of an expected-failures file. Refused: an unknown id, and an id that occurs twice. */
export const readExpectations = Effect.fnUntraced(function* (
  text: string,
  ids: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<Expectation>, Refused> {
  const entries = yield* Effect.mapError(
    decode(text, { onExcessProperty: "error" }),
    ({ message }) => new Refused({ message: `The expected failures must be [{check, reason, expires}]: ${message}` })
  )
  for (const [index, { check }] of entries.entries()) {
    if (!ids.includes(check)) return yield* unknownId(check, ids)
    if (entries.findIndex((other) => other.check === check) !== index) {
      return yield* new Refused({ message: `The expected failures name ${check} twice` })
    }
  }
  return entries
})

/** The results after the expectations were applied, and the problems of the expectations. */
export interface Expected {
  readonly results: ReadonlyArray<CheckResult>
  /** The ids of checks that need not pass. */
  readonly excused: ReadonlyArray<string>
  /** A sentence for each entry that is expired or whose check passes. Any of them makes the run fail. */
  readonly complaints: ReadonlyArray<string>
}

/**
 * Turns an expected failure, or an expected missing answer, into an `expected-failure`. An expected check that was
 * skipped stays skipped and is excused. `today` is a day in UTC, such as `2026-12-24`.
 */
export const expect = (
  results: ReadonlyArray<CheckResult>,
  expectations: ReadonlyArray<Expectation>,
  { planned }: Pick<Plan, "planned">,
  today: string
): Expected => {
  const about = expectations.filter(({ check }) => planned.some(({ id }) => id === check))
  const current = new Map(about.filter(({ expires }) => expires >= today).map((one) => [one.check, one]))
  const outcomes = new Map(results.map(({ id, outcome }) => [id, outcome]))
  const expired = about
    .filter(({ expires }) => expires < today)
    .map(({ check, expires }) => `The expected failure of ${check} expired on ${expires}.`)
  const stale = [...current.keys()]
    .filter((id) => outcomes.get(id) === "passed")
    .map((id) => `${id} passes: take it out of the expected failures.`)
  return {
    results: results.map((result) => {
      const expectation = current.get(result.id)
      const failed = result.outcome === "failed" || result.outcome === "no-answer"
      return expectation === undefined || !failed
        ? result
        : { ...result, outcome: "expected-failure", reason: expectation.reason }
    }),
    excused: [...current.keys()],
    complaints: [...expired, ...stale]
  }
}
