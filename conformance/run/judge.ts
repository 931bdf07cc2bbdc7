import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { Skipped, type Check, type Profile } from "../checks/steps.ts"
import { Violation } from "../dialect/Dialect.ts"
import * as dialectLayer from "../dialect/layer.ts"
import type { CheckResult, Choice, Verdict } from "../report/Report.ts"
import {
  NoResponse,
  Session,
  SuiteFault,
  Unconfigured,
  type Observation,
  type OpenSession
} from "../session/Session.ts"
import type { RunContext } from "../session/live.ts"
import { replay } from "../session/replay.ts"
import { Refused, type Config } from "../config/Config.ts"
import type { Level } from "../requirements/Requirement.ts"

/** How a check ended, and which it is. */
interface Named extends Ended {
  readonly id: string
}

const isFailed = ({ outcome }: Named): boolean => outcome === "failed" || outcome === "no-answer"

/**
 * Turns a failure in a step that another check tests into `blocked`, where that check failed as well: by itself, or because
 * of a step of its own that did. Every other failure stays one, so whatever is wrong, at least one check fails.
 */
export const block = <Result extends Named>(results: ReadonlyArray<Result>): ReadonlyArray<Result> => {
  /** Each failed check with the one that it comes down to. */
  const roots = new Map(results.flatMap((one) => (isFailed(one) && one.step === undefined ? [[one.id, one.id]] : [])))
  for (let before = -1; before < roots.size;) {
    before = roots.size
    for (const { id, step = "" } of results) {
      const root = roots.get(step)
      if (root !== undefined && !roots.has(id)) roots.set(id, root)
    }
  }
  return results.map((result) => {
    const root = result.step === undefined ? undefined : roots.get(result.id)
    return root === undefined ? result : { ...result, outcome: "blocked", blockedBy: root }
  })
}

/** How a check ended. Expectations and verdicts are applied elsewhere. */
export type Judged = Pick<CheckResult, "outcome" | "violation" | "reason" | "blockedBy">

/** The same before it is known how the check of the step ended in which it failed. */
export type Ended = Judged & { readonly step?: string | undefined }

export const ended = (id: string, exit: Exit.Exit<void, Violation | Skipped | NoResponse>): Ended => {
  if (Exit.isSuccess(exit)) return { outcome: "passed" }
  const error = Cause.squash(exit.cause)
  if (error instanceof Violation) {
    const { came, expected, step } = error
    return { outcome: "failed", violation: { expected, came }, ...(step === undefined || step === id ? {} : { step }) }
  }
  if (error instanceof Skipped || error instanceof Unconfigured) return { outcome: "skipped", reason: error.reason }
  if (error instanceof NoResponse) return { outcome: "no-answer", reason: error.reason }
  return { outcome: "suite-fault", reason: error instanceof SuiteFault ? error.reason : Cause.pretty(exit.cause) }
}

/** Runs a check in a live or recorded session. A defect of the check becomes the outcome `suite-fault`. */
export const judge = Effect.fnUntraced(function* (check: Check, { log: kept, session }: OpenSession) {
  const layer = dialectLayer.layer.pipe(Layer.provideMerge(Layer.succeed(Session, session)))
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

/** Why the last request of a recorded check had no answer, if so. An expected failure may hide it. */
const noResponseOf = ({ outcome, reason, violation }: Judged): string | undefined =>
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
    noResponse: noResponseOf(recorded),
    unanswered
  })
  const judged: Ended = yield* judge(check, session)
  const { made, observations } = yield* session.log
  const unread = yield* session.unread
  const reason = `The recording has ${unread} more exchanges after the end of the check`
  const isRead = unread === 0 || judged.outcome === "suite-fault"
  return { judged: isRead ? judged : ({ outcome: "suite-fault", reason } satisfies Ended), observations, made }
})

const isFailure = ({ level, outcome }: Pick<CheckResult, "level" | "outcome">): boolean =>
  outcome === "failed" && level === "MUST"

/**
 * The verdict of each claimed profile. `failed`: a MUST failed. `inconclusive`: none did, but a request had no answer, and the
 * checks without one list why. `partial`: every request had one, but a MUST was
 * skipped, is blocked, is expected to fail, couldn't be judged or wasn't run. `conformant`: every MUST of `whole` was run and
 * passed. A SHOULD or a MAY changes no verdict.
 */
export const verdictsOf = (
  profiles: ReadonlyArray<CheckResult["profile"]>,
  results: ReadonlyArray<Pick<CheckResult, "id" | "profile" | "level" | "outcome">>,
  whole: ReadonlyArray<Pick<Planned, "id" | "profile">>
): Readonly<Record<string, Verdict>> => {
  const verdict = (profile: CheckResult["profile"]): Verdict => {
    const own = results.filter((one) => one.profile === profile)
    if (own.some(isFailure)) return "failed"
    if (own.some(({ outcome }) => outcome === "no-answer")) return "inconclusive"
    const musts = own.filter(({ level }) => level === "MUST")
    const isWhole = whole.every((one) => one.profile !== profile || results.some(({ id }) => id === one.id))
    return isWhole && musts.every(({ outcome }) => outcome === "passed") ? "conformant" : "partial"
  }
  return Object.fromEntries(profiles.map((profile) => [profile, verdict(profile)]))
}

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

export const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Expectation)))

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

export interface Observed {
  readonly check: string
  readonly observations: ReadonlyArray<Observation>
}

export const key = (value: unknown): string => JSON.stringify(value)

/** The register of choices: each silence with its answers and the checks that observed them, ordered by name. */
export const choicesOf = (observed: ReadonlyArray<Observed>): ReadonlyArray<Choice> => {
  const all = observed.flatMap(({ check, observations }) => observations.map((one) => ({ check, ...one })))
  return [...Map.groupBy(all, ({ silence }) => silence)]
    .map(([silence, here]) => ({
      silence,
      answers: [...Map.groupBy(here, ({ answer }) => key(answer)).values()].map((same) => ({
        answer: same[0]?.answer ?? null,
        checks: [...new Set(same.map(({ check }) => check))]
      }))
    }))
    .toSorted((one, other) => (one.silence < other.silence ? -1 : 1))
}

export const consistent = "What the interface leaves open is answered consistently"

/** The checks that the runner adds after all others: the target must answer the same situation consistently. */
export const choicesKept: ReadonlyArray<{ readonly id: string; readonly profile: Profile; readonly title: string }> = [
  {
    id: "builds.choices-kept",
    profile: "builds",
    title: consistent
  },
  {
    id: "previews.choices-kept",
    profile: "previews",
    title: consistent
  },
  { id: "runs.choices-kept", profile: "testRuns", title: consistent }
]

export const sentence = ({ answers, silence }: Choice): string =>
  `${silence}: ${answers.map(({ answer, checks }) => `${key(answer)} in ${checks.join(", ")}`).join("; ")}`

/** Whether each silence in the check's area (such as `builds.`) has only one answer. */
export const judgeChoices = (id: string, choices: ReadonlyArray<Choice>): Judged => {
  const [area = ""] = id.split(".")
  const here = choices.filter(({ silence }) => silence.startsWith(`${area}.`))
  if (here.length === 0) return { outcome: "skipped", reason: "No choice of the target was observed." }
  const broken = here.filter(({ answers }) => answers.length > 1)
  return broken.length === 0
    ? { outcome: "passed" }
    : {
        outcome: "failed",
        violation: {
          expected: "The same situation has the same answer throughout a run",
          came: broken.map(sentence).join(" · ")
        }
      }
}

export interface Planned {
  readonly id: string
  readonly profile: Profile
  readonly title: string
  readonly level: Level
  /** The ids of the sentences that it proves. */
  readonly requirements: ReadonlyArray<string>
  /** `undefined` for the checks that the runner adds, which judge the observations of the others. */
  readonly check: Check | undefined
}

/** The checks of a run in the order of the report. */
export interface Plan {
  readonly selection: Selection
  readonly planned: ReadonlyArray<Planned>
  /** The ids of all checks of a complete run. */
  readonly whole: ReadonlyArray<Pick<Planned, "id" | "profile">>
}

/** How many letters are added, left out or changed between two ids. */
const distance = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (const [row, letter] of [...one].entries()) {
    const here = [row + 1]
    for (const [place, wanted] of [...other].entries()) {
      const [left = 0, up = 0, corner = 0] = [here[place], above[place + 1], above[place]]
      here.push(Math.min(left + 1, up + 1, corner + (letter === wanted ? 0 : 1)))
    }
    above = here
  }
  return above.at(-1) ?? 0
}

/** Refuses an id, and suggests one from which it differs in a few letters. */
export const unknownId = (id: string, ids: ReadonlyArray<string>): Refused => {
  const [nearest] = ids.map((one) => ({ one, far: distance(id, one) })).toSorted((some, other) => some.far - other.far)
  const isNear = nearest !== undefined && nearest.far <= 3
  return new Refused({ message: `No check is called ${id}${isNear ? `; did you mean ${nearest.one}?` : ""}` })
}

export interface Selection {
  readonly profiles: ReadonlyArray<Profile>
  /** Ids of checks or of sentences, or how ids begin, such as `builds.put`; when empty, every check is selected. The id of a `choices-kept` check selects its whole profile. */
  readonly only: ReadonlyArray<string>
  /** Only checks that create nothing on the target with this config. */
  readonly readOnly: boolean
  readonly supplied?: Config["supplied"]
}
