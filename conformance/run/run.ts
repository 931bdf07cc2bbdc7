import { Clock, DateTime, Effect, Semaphore } from "effect"
import type { CheckResult, Report } from "../report/Report.ts"
import type { CreatedResource, Observation } from "../session/Session.ts"
import { agentOf, interrupted, live, type RunContext } from "../session/live.ts"
import {
  block,
  choicesOf,
  expect,
  Expectation,
  judge,
  judgeChoices,
  verdictsOf,
  type Ended,
  type Judged,
  type Observed,
  type Plan,
  type Planned
} from "./judge.ts"
import { exitCode, exitCodes, Unreachable, type ExitCode } from "./plan.ts"
import type { Config } from "../config/Config.ts"
import { Transport } from "../session/transport.ts"
import { interfaceDigest } from "../requirements/index.ts"
import type { Progress } from "../report/console.ts"
import { suite } from "./suite.ts"

/** The assumed duration of one answer, in milliseconds. */
const answerMs = 50

interface Estimate {
  readonly checks: number
  readonly requests: number
  readonly bytes: number
  /** At 50 ms per answer, when every check waits for one whole consistency window. */
  readonly seconds: number
}

export const estimate = (
  { planned }: Plan,
  { concurrency, windowMs }: Pick<Config, "concurrency" | "windowMs">
): Estimate => {
  const costs = planned.flatMap(({ check }) => (check === undefined ? [] : [check.cost]))
  const requests = costs.reduce((sum, cost) => sum + cost.requests, 0)
  return {
    checks: planned.length,
    requests,
    bytes: costs.reduce((sum, cost) => sum + cost.bytes, 0),
    seconds: Math.ceil((requests * answerMs + costs.length * windowMs) / concurrency / 1000)
  }
}

const size = (bytes: number): string => (bytes < 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1024)} KiB`)

/** A plan as text for people: its checks and their total cost. */
export const planLines = (plan: Plan, config: Pick<Config, "concurrency" | "windowMs">): ReadonlyArray<string> => {
  const { bytes, checks, requests, seconds } = estimate(plan, config)
  const width = Math.max(...plan.planned.map(({ id }) => id.length))
  return [
    ...plan.planned.map(({ id, level, title }) => `${id.padEnd(width)}  ${level.padEnd(6)}  ${title}`),
    "",
    `${checks} checks, about ${requests} requests and ${size(bytes)} uploaded, about ${seconds} s at ${answerMs} ms an answer.`,
    plan.selection.readOnly
      ? "Nothing is created on the target."
      : "What is created on the target stays there, unless `cleanup` of the config removes it. Each branch and name contains digits of the run, and the report lists all of it."
  ]
}

/** Fails when nothing answers HTTP at the target. Any answer passes, because the checks judge the answers. */
const reach = Effect.fnUntraced(function* ({ timeoutMs, url }: Pick<Config, "url" | "timeoutMs">) {
  const { send } = yield* Transport
  const probe = { method: "GET", url: `${url}/api/v1/builds`, headers: {}, body: undefined, timeoutMs }
  yield* Effect.mapError(send(probe), ({ reason }) => new Unreachable({ reason }))
})

/** After this many checks in a row without an answer, the run tests whether the target can still be reached. */
const enough = 3

/** Ensures that a run ends, whatever the target does. */
interface Watch {
  /** Limits a check to this many milliseconds. After the target is lost, the check doesn't run. */
  readonly over: (
    judging: Effect.Effect<Ended, never, Transport>,
    leftMs: number
  ) => Effect.Effect<Ended, never, Transport>
  /** Counts a request that was answered 429 to the end. After as many, the target is lost for this reason. */
  readonly throttled: (reason: string) => Effect.Effect<void>
  /** Asks the target once more, whether anything still answers. */
  readonly askOnce: Effect.Effect<void, never, Transport>
  /** Why the target can't be reached any more; `undefined` while it can be reached. */
  readonly lost: Effect.Effect<string | undefined>
}

const noResponse = (reason: string): Ended => ({ outcome: "no-answer", reason })

const makeWatch = Effect.fnUntraced(function* (
  config: Config,
  signal: AbortSignal | undefined
): Effect.fn.Return<Watch> {
  const asking = yield* Semaphore.make(1)
  let lost: string | undefined
  let inARow = 0
  let timesThrottled = 0

  const lose = (reason: string) => void (lost ??= `In the middle of the run: ${reason}`)
  const askOnce = Effect.match(reach(config), {
    onSuccess: () => void (inARow = 0),
    onFailure: ({ reason }) => lose(reason)
  })
  const askAgain = asking.withPermit(
    Effect.suspend(() => (lost !== undefined || inARow < enough ? Effect.void : askOnce))
  )
  const throttled = (reason: string) =>
    Effect.sync(() => {
      timesThrottled += 1
      if (timesThrottled >= enough) lose(reason)
    })
  const over: Watch["over"] = (judging, leftMs) => {
    if (signal?.aborted === true) lose(interrupted)
    if (lost !== undefined) return Effect.succeed(noResponse(lost))
    const late = noResponse(
      `The deadline of the run, ${config.deadlineMs / 1000} seconds, came before this check had ended.`
    )
    if (leftMs <= 0) return Effect.succeed(late)
    return judging.pipe(
      Effect.timeoutOrElse({ duration: leftMs, orElse: () => Effect.succeed(late) }),
      Effect.tap(({ outcome }) => {
        if (signal?.aborted === true) lose(interrupted)
        inARow = outcome === "no-answer" ? inARow + 1 : 0
        return inARow < enough ? Effect.void : askAgain
      })
    )
  }
  return { over, throttled, askOnce, lost: Effect.sync(() => lost) }
})

export interface RunOptions extends RunContext {
  readonly plan: Plan
  /** What the id of the run follows from, if somebody else gave it. */
  readonly challenge?: string | undefined
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
export const unanswered = ({ id, reason, unanswered }: CheckResult): string =>
  `${id}: ${unanswered === undefined ? "it" : `${unanswered.method} ${unanswered.url}`} had no answer. ${reason ?? ""}`

/** The config, which says whether account b has keys with one scope. */
const withKeysOfB = ({ config, keys: { b } }: Pick<RunOptions, "config" | "keys">): Config =>
  (["builds", "previewUpload", "testRuns"] as const).some((name) => b[name] === undefined)
    ? config
    : { ...config, scopedKeysOfB: true }

/**
 * Runs the checks of a plan, a few at a time, and reports all of them in the order of the plan. Fails before any check
 * when the target can't be reached. When the target is lost, the deadline comes or the signal ends the run, the remaining
 * checks have no answer.
 */
export const run = Effect.fnUntraced(function* (options: RunOptions) {
  const { plan } = options
  const config = withKeysOfB(options)
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
        config,
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
      ...(options.challenge === undefined ? {} : { challenge: options.challenge }),
      agent: agentOf(options.id),
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
