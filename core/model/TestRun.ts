import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { SizeBytes } from "./Artifact.ts"
import { AppName, ciDetails, CommitSha } from "./Build.ts"
import { PullRequest, ShareId } from "./Preview.ts"
import { RepositoryId, type Repository } from "./Repository.ts"
import { message, Name, text } from "./Text.ts"

/** Ids sort by the time of registration (UUID version 7). */
export const TestRunId = Schema.String.pipe(Schema.brand("TestRunId"))
export type TestRunId = typeof TestRunId.Type

export const TestRunKind = Schema.Literals(["maestro", "detox"])
export type TestRunKind = typeof TestRunKind.Type

export const TestRunStatus = Schema.Literals(["passed", "failed"])
export type TestRunStatus = typeof TestRunStatus.Type

/** A whole number from 0 to 2^31 - 1. */
export const Count = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }, { message: "must be a whole number from 0 to 2147483647" })
)

/** The message of a failure: at most 16 KiB of text, line breaks and tabs included; a longer one is cut. */
const FailureMessage = message(16 * 1024)

/** The device or simulator that a test ran on, as far as it is known. */
export const RunDevice = Schema.Struct({
  name: Schema.optionalKey(Name),
  platform: Schema.optionalKey(Name),
  osVersion: Schema.optionalKey(Name)
})
export type RunDevice = typeof RunDevice.Type

/** One attempt of a test that its runner retries after a failure. */
export const RunAttempt = Schema.Struct({
  status: TestRunStatus,
  durationMs: Schema.optionalKey(Count),
  failureMessage: Schema.optionalKey(FailureMessage)
})
export type RunAttempt = typeof RunAttempt.Type

const listOf = <Item extends Schema.Top>(item: Item, max: number) =>
  Schema.Array(item).check(Schema.isMaxLength(max, { message: `must have at most ${max} items` }))

/**
 * The fields that a registration, the stored run and its response have alike, among them the device of the test, its attempts from first
 * to last, and what CI knows of its commit.
 */
export const reportedFields = {
  kind: TestRunKind,
  name: Schema.optionalKey(Name),
  prompt: Schema.optionalKey(text(1024, { lines: true })),
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  stepCount: Schema.optionalKey(Count),
  durationMs: Schema.optionalKey(Count),
  failureMessage: Schema.optionalKey(FailureMessage),
  failedStepIndex: Schema.optionalKey(Count),
  source: Schema.optionalKey(Name),
  pr: Schema.optionalKey(PullRequest),
  device: Schema.optionalKey(RunDevice),
  attempts: Schema.optionalKey(listOf(RunAttempt, 20)),
  file: Schema.optionalKey(Name),
  tags: Schema.optionalKey(listOf(text(100), 50)),
  app: Schema.optionalKey(AppName),
  ...ciDetails
}

/**
 * A registered Maestro or Detox run, either passed or failed. `keptAt` is set while it is kept regardless of retention rules.
 * `metadataBytes` counts in `bytesStored` until it is deleted; runs of older versions of Slipway have none.
 *
 * @see docs/interface.md#2.7
 */
export const TestRun = Schema.Struct({
  id: TestRunId,
  accountId: AccountId,
  repositoryId: RepositoryId,
  previewShareId: ShareId,
  status: TestRunStatus,
  startedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  ...reportedFields,
  /** Set where its test was quarantined when it was registered as failed. */
  quarantined: Schema.optionalKey(Schema.Boolean),
  createdAt: Schema.DateTimeUtcFromString,
  keptAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  metadataBytes: Schema.optionalKey(SizeBytes)
})
export type TestRun = typeof TestRun.Type

/** A cursor in a list of runs: just after this one. */
export type RunCursor = Pick<TestRun, "createdAt" | "id">

/** A run with the names of its repository. */
export interface TestRunView {
  readonly run: TestRun
  readonly repository: Pick<Repository, "owner" | "repo">
}
