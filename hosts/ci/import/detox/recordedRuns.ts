/** Makes the run of a test, or of a file that failed as a whole. */
import { isAbsolute } from "node:path"
import { plainLine } from "../../command/plainText.ts"
import { inRepository } from "../files.ts"
import { failedAttempt, interrupted, type RecordedAttempt, type RecordedRun } from "../recordedRun.ts"
import type { Artifacts } from "./artifacts.ts"
import { failedTestsOf, type FailedFile, type Test } from "./reportedTests.ts"
import type { Trace } from "./trace.ts"
import type { TracedAttempt } from "./traceWorker.ts"
import { withoutTyped } from "./typed.ts"

const joined = (messages: ReadonlyArray<string | undefined>): string | undefined => {
  const known = messages.filter((message) => message !== undefined)
  return known.length === 0 ? undefined : [...new Set(known)].join("\n\n")
}

/** What joins tests that failed: a hook after them that failed too. */
const failedAround = (trace: Trace, attempt: TracedAttempt): string | undefined =>
  trace.files.find((file) => file.isFailed && !file.isOpen && failedTestsOf(trace, file).includes(attempt))
    ?.failureMessage

const tracedAttempts = (test: Test, trace: Trace, artifacts: Artifacts): ReadonlyArray<RecordedAttempt> =>
  test.traced.map((attempt, index) => {
    // Jest reports its last round, with the location of the failure in the sources.
    const isLast = index === test.traced.length - 1
    const result =
      isLast && !attempt.isOpen && test.reported?.test.status === attempt.status ? test.reported.test : undefined
    const message = joined([
      result?.failureMessage ?? attempt.failureMessage,
      result === undefined ? failedAround(trace, attempt) : undefined
    ])
    return {
      status: attempt.status,
      startedAt: Math.round(attempt.startedAt),
      durationMs: result?.durationMs ?? Math.round(attempt.endedAt - attempt.startedAt),
      failureMessage: message === undefined ? undefined : withoutTyped(message),
      steps: attempt.steps,
      failingStep: attempt.failingStep,
      recordings: artifacts.of({ ...attempt, reportedBy: trace.path })
    }
  })

const reportedAttempts = (
  { path, test }: NonNullable<Test["reported"]>,
  artifacts: Artifacts
): ReadonlyArray<RecordedAttempt> =>
  Array.from({ length: test.invocations }, (_, index) => {
    const isLast = index === test.invocations - 1
    const status = isLast ? test.status : "failed"
    const message = isLast ? test.failureMessage : test.retryReasons[index]
    const startedAt = isLast ? (test.startedAt ?? (test.invocations === 1 ? test.fileStartedAt : undefined)) : undefined
    const durationMs = isLast ? test.durationMs : undefined
    const endedAt = startedAt === undefined || durationMs === undefined ? undefined : startedAt + durationMs
    return {
      status,
      startedAt,
      durationMs,
      failureMessage: message === undefined ? undefined : withoutTyped(message),
      steps: [],
      failingStep: undefined,
      recordings: artifacts.of({
        reportedBy: path,
        fullName: test.fullName,
        status,
        invocation: index + 1,
        startedAt,
        endedAt,
        screenshots: [],
        partEnds: new Map()
      })
    }
  })

const noReason = "The file failed, and Detox gives no reason: the results of `jest --json` have it."

const withAttempts = (
  run: Omit<RecordedRun, "kind" | "attempts" | "tags">,
  [first = failedAttempt(noReason), ...rest]: ReadonlyArray<RecordedAttempt>
): RecordedRun => ({ kind: "detox", tags: [], ...run, attempts: [first, ...rest] })

const deviceOf = (trace: Trace | undefined, name: string | undefined): RecordedRun["device"] => {
  const platform = trace?.platform
  if (name === undefined && platform === undefined) return undefined
  return { ...(name === undefined ? {} : { name }), ...(platform === undefined ? {} : { platform }) }
}

/** The file of a test: by its whole path, from Jest's results, or relative to where Jest was started, from a trace. */
const fileOf = (path: string | undefined, traced: string | undefined, cwd: string): string | undefined => {
  const whole = path === undefined ? undefined : inRepository(path, cwd)
  const file = whole === undefined || isAbsolute(whole) ? (traced ?? whole) : whole
  return file?.replaceAll("\\", "/")
}

export const runOfTest = (test: Test, artifacts: Artifacts, cwd: string): RecordedRun => {
  const { fullName, reported, trace, traced } = test
  const attempts =
    trace !== undefined
      ? tracedAttempts(test, trace, artifacts)
      : reported === undefined
        ? []
        : reportedAttempts(reported, artifacts)
  return withAttempts(
    {
      name: plainLine(fullName) || "A test without a name",
      device: deviceOf(trace, traced.at(-1)?.device),
      file: fileOf(reported?.test.file, traced[0]?.file, cwd),
      from: trace?.path ?? reported?.path ?? ""
    },
    attempts
  )
}

export const runOfFile = ({ file, path: from, reported, trace, traced }: FailedFile, cwd: string): RecordedRun => {
  const path = fileOf(reported?.file, trace === undefined ? undefined : file, cwd) ?? file
  const attempts = traced.map((one, index): RecordedAttempt => {
    const isLast = index === traced.length - 1
    // Of a file that never ended, results of an earlier round say nothing of the tests that are missing.
    const message = one.isOpen
      ? joined([one.failureMessage, reported?.failureMessage])
      : ((isLast ? reported?.failureMessage : undefined) ?? one.failureMessage)
    return {
      status: one.isFailed ? "failed" : "passed",
      startedAt: Math.round(one.startedAt),
      durationMs: Math.round(one.endedAt - one.startedAt),
      failureMessage: one.isFailed ? withoutTyped(message ?? reported?.failureMessage ?? noReason) : undefined,
      steps: one.steps,
      failingStep: one.failingStep,
      recordings: []
    }
  })
  const alone = {
    ...failedAttempt(withoutTyped(reported?.failureMessage ?? noReason)),
    startedAt: reported?.startedAt,
    durationMs: reported?.durationMs
  }
  return withAttempts(
    { name: path, file: path, device: deviceOf(trace, undefined), from },
    attempts.length === 0 ? [alone] : attempts
  )
}

/** Files that failed without a known test. */
export const interruptedRun = (name: string, reason: string, from: string): RecordedRun =>
  withAttempts({ name, device: undefined, file: undefined, from }, [failedAttempt(interrupted(reason))])
