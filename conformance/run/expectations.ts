import { Effect, Schema } from "effect"
import type { CheckResult } from "../report/Report.ts"
import { unknownId } from "./plan.ts"
import type { Plan } from "./plan.ts"
import { Refused } from "../config/Refused.ts"

/** A check that isn't expected to pass, why, and the last day (in UTC) on which that is an excuse. */
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

/** Reads the text of an expected-failures file. An id that no check has, or that stands twice, is refused. */
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

/** The results as the expectations have them, and what is to be mended in the expectations. */
export interface Expected {
  readonly results: ReadonlyArray<CheckResult>
  /** Ids of results that didn't pass, and needn't. */
  readonly excused: ReadonlyArray<string>
  /** Entries that are past their day, or whose check passes. Each a sentence; any makes the run fail. */
  readonly complaints: ReadonlyArray<string>
}

/**
 * A failure, or no answer, that is expected becomes an `expected-failure`; a check that was skipped stays so, and is
 * excused. `today` is a day in UTC, such as `2026-12-24`.
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
    .map(({ check, expires }) => `The expected failure of ${check} was to be mended by ${expires}.`)
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
