import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { CommitSha } from "./Build.ts"
import { PullRequest, ShareId } from "./Preview.ts"
import { RepositoryId, type Repository } from "./Repository.ts"
import { Name, text } from "./Text.ts"

/** Ids sort by the time of registration (UUID version 7). */
export const TestRunId = Schema.String.pipe(Schema.brand("TestRunId"))
export type TestRunId = typeof TestRunId.Type

export const TestRunKind = Schema.Literals(["maestro", "detox"])
export type TestRunKind = typeof TestRunKind.Type

export const TestRunStatus = Schema.Literals(["passed", "failed"])
export type TestRunStatus = typeof TestRunStatus.Type

/** A whole number from 0 to 2^31 - 1. */
export const Count = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }, { message: "must be a whole number, 0 or more" })
)

/** The message of a failure: at most 16 KiB of text, line breaks and tabs included. */
export const FailureMessage = text(16 * 1024, { lines: true })

/** A registered Maestro or Detox run. Exactly one of passed and failed. @see docs/interface.md#2.7 */
export const TestRun = Schema.Struct({
  id: TestRunId,
  accountId: AccountId,
  repositoryId: RepositoryId,
  previewShareId: ShareId,
  kind: TestRunKind,
  name: Schema.optionalKey(Name),
  prompt: Schema.optionalKey(text(1024, { lines: true })),
  status: TestRunStatus,
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  stepCount: Schema.optionalKey(Count),
  durationMs: Schema.optionalKey(Count),
  failureMessage: Schema.optionalKey(FailureMessage),
  failedStepIndex: Schema.optionalKey(Count),
  source: Schema.optionalKey(Name),
  pr: Schema.optionalKey(PullRequest),
  startedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  createdAt: Schema.DateTimeUtcFromString
})
export type TestRun = typeof TestRun.Type

/** A place in a list of runs: just behind this one. */
export type RunCursor = Pick<TestRun, "createdAt" | "id">

/** A run as it is read: with the names of its repository. */
export interface TestRunView {
  readonly run: TestRun
  readonly repository: Pick<Repository, "owner" | "repo">
}
