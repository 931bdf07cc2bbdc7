import { Clock, DateTime, Effect } from "effect"
import { interfaceDigest } from "../requirements/digest.ts"
import type { Progress } from "../report/progress.ts"
import type { CheckResult, Report } from "../report/Report.ts"
import { live, type RunContext } from "../session/live.ts"
import type { Observation } from "../session/SessionLog.ts"
import type { CreatedResource } from "../session/Session.ts"
import type { Transport } from "../session/transport.ts"
import { choicesOf, judgeChoices, type Observed } from "./choices.ts"
import { exitCode, exitCodes, type ExitCode } from "./exitCode.ts"
import { expect, type Expectation } from "./expectations.ts"
import { block } from "./block.ts"
import { judge, type Ended, type Judged } from "./judge.ts"
import { makeWatch } from "./watch.ts"
import type { Plan, Planned } from "./plan.ts"
import { reach } from "./reach.ts"
import { suite } from "./suite.ts"
import { verdictsOf } from "./verdicts.ts"

export interface RunOptions extends RunContext {
  readonly plan: Plan
  readonly expectations: ReadonlyArray<Expectation>
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}

export interface Finished {
  readonly report: Report
  readonly exitCode: ExitCode
  /** Sentences to show beside the report: stale expectations, or a lost target. */
  readonly complaints: ReadonlyArray<string>
}

interface Meeting {
  readonly result: CheckResult & { readonly step?: string | undefined }
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<CreatedResource>
}

const resultOf = (
  { id, level, profile, requirements, title }: Planned,
  judged: Judged,
  durationMs: number,
  exchanges: CheckResult["exchanges"]
): CheckResult => ({ id, profile, title, level, requirements, ...judged, durationMs, exchanges })

/** The standing during a run: a failure in a step of another check is probably blocked by that check. */
const soFar = ({ step, ...judged }: Ended): Judged =>
  step === undefined ? judged : { ...judged, outcome: "blocked", blockedBy: step }

/** The reason for a request without an answer while the target still answers others. */
const unanswered = ({ id, reason, unanswered }: CheckResult): string =>
  `${id}: ${unanswered === undefined ? "it" : `${unanswered.method} ${unanswered.url}`} had no answer. ${reason ?? ""}`

/**
 * Runs the checks of a plan, a few at a time, and reports all of them in the order of the plan. Fails before any check
 * when the target can't be reached. When the target is lost, the deadline comes or the signal ends the run, the remaining
 * checks have no answer.
 */
export const run = Effect.fnUntraced(function* (options: RunOptions) {
  const { config, plan } = options
  const { planned, selection, whole } = plan
  const startedAt = yield* DateTime.now
  const began = yield* Clock.currentTimeMillis
  const sinceBegan = Effect.map(Clock.currentTimeMillis, (now) => now - began)
  yield* reach(config)
  yield* options.onProgress({ _tag: "Started", planned: planned.length })
  const watch = yield* makeWatch(config, options.signal)
  let done = 0

  const ended = (result: CheckResult) =>
    options.onProgress({ _tag: "Ended", result, done: ++done, planned: planned.length })

  const meet = Effect.fnUntraced(function* (one: Planned): Effect.fn.Return<Meeting, never, Transport> {
    const { check } = one
    if (check === undefined) return { result: resultOf(one, { outcome: "skipped" }, 0, []), observations: [], made: [] }
    const from = yield* sinceBegan
    const session = yield* live(
      {
        ...options,
        readOnly: selection.readOnly,
        onWaiting: (waiting) => options.onProgress({ _tag: "Waiting", ...waiting }),
        onThrottled: watch.throttled
      },
      one.id
    )
    const judged = yield* watch.over(judge(check, session), config.deadlineMs - from)
    const { exchanges, made, observations, unanswered } = yield* session.log
    const durationMs = (yield* sinceBegan) - from
    const sent = judged.outcome === "no-answer" && unanswered !== undefined ? { unanswered } : {}
    yield* ended({ ...resultOf(one, soFar(judged), durationMs, exchanges), ...sent })
    const { step, ...known } = judged
    return { result: { ...resultOf(one, known, durationMs, exchanges), ...sent, step }, observations, made }
  })

  const meetings = yield* Effect.forEach(planned, meet, { concurrency: config.concurrency })
  const observed: ReadonlyArray<Observed> = meetings.map(({ observations, result }) => ({
    check: result.id,
    observations
  }))
  const choices = choicesOf(observed)
  const met = block(meetings.map(({ result }) => result))
  const judged = yield* Effect.forEach(planned, (one, index) => {
    const { step: _, ...result }: Meeting["result"] = met[index] ?? resultOf(one, { outcome: "suite-fault" }, 0, [])
    if (one.check !== undefined) return Effect.succeed<CheckResult>(result)
    const kept = resultOf(one, judgeChoices(one.id, choices), 0, [])
    return Effect.as(ended(kept), kept)
  })
  const silent = judged.filter(({ outcome }) => outcome === "no-answer")
  if (silent.length > 0 && (yield* watch.lost) === undefined) yield* watch.askOnce
  const lost = yield* watch.lost
  const today = DateTime.formatIsoDateUtc(startedAt)
  const expected = expect(judged, options.expectations, plan, today)
  const report: Report = {
    suite: yield* suite,
    interface: { digest: interfaceDigest },
    run: {
      id: options.id,
      startedAt: DateTime.formatIso(startedAt),
      durationMs: yield* sinceBegan,
      readOnly: selection.readOnly,
      planned: planned.map(({ id }) => id)
    },
    config,
    verdicts: verdictsOf(config.profiles, expected.results, whole),
    checks: expected.results,
    choices,
    ledger: meetings.flatMap(({ made, result }) =>
      made.map(({ id, url, kind }) => ({ check: result.id, what: kind, id, ...(url === undefined ? {} : { url }) }))
    )
  }
  return {
    report,
    exitCode: options.signal?.aborted === true ? exitCodes.interrupted : exitCode(expected, lost),
    complaints: [
      ...expected.complaints,
      ...(lost === undefined
        ? expected.results.filter(({ outcome }) => outcome === "no-answer").map(unanswered)
        : [lost])
    ]
  } satisfies Finished
})
