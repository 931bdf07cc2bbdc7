/** The rules for test runs. @see docs/interface.md#2.7, #3, #4.9, #4.10 */
import { DateTime, Option, Result, Schema, Struct } from "effect"
import { NotFound, PreviewNotReady } from "../model/Problem.ts"
import { ShareId, type Preview } from "../model/Preview.ts"
import { idOf } from "../model/Text.ts"
import type { Repository } from "../model/Repository.ts"
import {
  TestRun,
  type RunAttempt,
  type RunCursor,
  type TestRunId,
  type TestRunStatus,
  type TestRunView
} from "../model/TestRun.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { metadataBytesOf } from "./limits.ts"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { TestId } from "../model/TestHistory.ts"
import { sourceParts, testIdentity } from "./attempts.ts"

/** The data that a run is registered with. `status` is the JSON value that was sent, whatever it is. */
export const RunReport = Schema.Struct({
  ...Struct.omit(TestRun.fields, ["id", "accountId", "repositoryId", "createdAt", "metadataBytes"]),
  previewShareId: idOf(ShareId),
  status: Schema.UndefinedOr(Schema.Json)
})
export type RunReport = typeof RunReport.Type

/** A run passed if exactly the string `passed` was sent. Any other value, or none, is a failure. */
export const statusOf = (sent: unknown): TestRunStatus => (sent === "passed" ? "passed" : "failed")

/** What a run has beside its report. Branch and commit are its preview's. */
type RunOrigin = Pick<TestRun, "id" | "accountId" | "repositoryId" | "createdAt" | "branch" | "commitSha">

const withoutPassedFailure = (attempt: RunAttempt): RunAttempt => {
  const { failureMessage: _, ...passed } = attempt
  return attempt.status === "passed" ? passed : attempt
}

/** Whether a run passed only when it was tried again. */
export const isFlaky = ({ attempts, status }: Pick<TestRun, "attempts" | "status">): boolean =>
  status === "passed" && attempts?.some((attempt) => attempt.status === "failed") === true

/**
 * The run that a report makes. Branch and commit are the preview's unless they are given. A passed run keeps no failure fields, nor
 * does an attempt.
 */
export const runOf = (
  { attempts, failedStepIndex, failureMessage, status: sent, ...rest }: RunReport,
  { accountId, branch, commitSha, createdAt, id, repositoryId }: RunOrigin
): TestRun => {
  const status = statusOf(sent)
  const run = {
    ...withoutUndefined({ branch, commitSha }),
    ...rest,
    ...(status === "passed" ? {} : withoutUndefined({ failureMessage, failedStepIndex })),
    ...withoutUndefined({ attempts: attempts?.map(withoutPassedFailure) }),
    status,
    id,
    accountId,
    repositoryId,
    createdAt
  }
  return { ...run, metadataBytes: metadataBytesOf(run) }
}

/**
 * | repository | preview | decided |
 * | --- | --- | --- |
 * | not the account's | any | `NotFound` |
 * | the account's | not the account's | `NotFound` |
 * | the account's | its own, not ready | `PreviewNotReady` |
 * | the account's | its own and ready | the run, passed if `status` is exactly `passed`, else failed |
 */
export const decideRun = (
  report: RunReport,
  found: { readonly repository: Option.Option<Repository>; readonly preview: Option.Option<Preview> },
  event: { readonly id: TestRunId; readonly now: DateTime.Utc }
): Result.Result<TestRunView, NotFound | PreviewNotReady> => {
  const repository = Option.getOrUndefined(found.repository)
  const preview = Option.getOrUndefined(found.preview)
  if (repository === undefined || preview === undefined) return Result.fail(NotFound.default)
  if (preview.finalizedAt === undefined) {
    return Result.fail(
      new PreviewNotReady({ detail: "The preview is not finalized; finalize it, then register the run." })
    )
  }
  const { branch, commitSha } = preview.declaration.git
  const { accountId, id: repositoryId, owner, repo } = repository
  const origin = { id: event.id, accountId, repositoryId, createdAt: event.now }
  const run = runOf(report, { ...origin, ...withoutUndefined({ branch, commitSha }) })
  return Result.succeed({ run, repository: { owner, repo } })
}

/** How many runs a page holds: 20 by default, clamped to 1 to 100. @see docs/interface.md#8 */
export const pageSize = (limit: number | undefined): number => Math.min(100, Math.max(1, limit ?? 20))

/** Newest first; runs of one millisecond by id, greatest first. */
export const compareRuns = (a: RunCursor, b: RunCursor): number => {
  const [left, right] = [DateTime.toEpochMillis(a.createdAt), DateTime.toEpochMillis(b.createdAt)]
  if (left !== right) return right - left
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}

// The ids of the test and of the CI run that a test run belongs to, and when it started.

const shortDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32)

type Identified = Pick<TestRun, "repositoryId" | "kind" | "name" | "prompt" | "file" | "device" | "app">

/** Computes a value of a run once: the commit of one run asks several times. */
export const once = <Run extends object, Value>(compute: (run: Run) => Value): ((run: Run) => Value) => {
  const computed = new WeakMap<Run, Value>()
  return (run) => {
    const known = computed.get(run)
    if (known !== undefined) return known
    const value = compute(run)
    computed.set(run, value)
    return value
  }
}

/** The id of the test that a run is of. */
export const testIdOf = once((run: Identified) =>
  TestId.make(shortDigest(JSON.stringify([run.repositoryId, testIdentity(run)])))
)

/** The key of the CI run that a source names. */
export const ciRunOfSource = (source: string): string => `source-${shortDigest(sourceParts(source).ciRun).slice(0, 20)}`

/**
 * The key of the CI run that a run is of: `source-` and a digest of its source without the attempt, else `commit-` and its commit. A
 * run with neither is alone, and of no CI run that is listed.
 */
export const ciRunOf = once(({ commitSha, id, source }: Pick<TestRun, "commitSha" | "id" | "source">) =>
  source !== undefined ? ciRunOfSource(source) : commitSha !== undefined ? `commit-${commitSha}` : `run-${id}`
)

/** Whether {@link ciRunOf} made this key of a CI run, not of a run alone. */
export const isCiRun = (key: string): boolean => !key.startsWith("run-")

/**
 * When a run started, in milliseconds: as it says, though not after it was registered, because clocks differ; without a start, when
 * it was registered.
 */
export const startOf = ({ createdAt, startedAt }: Pick<TestRun, "createdAt" | "startedAt">): number => {
  const registered = DateTime.toEpochMillis(createdAt)
  return startedAt === undefined ? registered : Math.min(registered, Math.max(0, DateTime.toEpochMillis(startedAt)))
}
