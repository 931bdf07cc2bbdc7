import { Predicate, Schema } from "effect"
import { AppName } from "../../model/ciDetails.ts"
import { PullRequest, ShareId } from "../../model/Preview.ts"
import type { Issue } from "../../model/Problem.ts"
import { OwnerName, RepoName } from "../../model/Repository.ts"
import { reportedFields, TestRunKind, TestRunStatus } from "../../model/TestRun.ts"
import { atMost, Name, text } from "../../model/Text.ts"
import type { RegisterRun } from "../../service/TestRuns.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import { WholeNumber } from "../parts/WholeNumber.ts"

const fields = Schema.Struct({
  ...reportedFields,
  status: Schema.optionalKey(Schema.Unknown),
  owner: OwnerName,
  repo: RepoName,
  previewShareId: text(1024).pipe(Schema.brand("ShareId")),
  // A date is parsed in a time that grows with its length.
  startedAt: Schema.optionalKey(Schema.String.check(atMost(64)).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString)))
})

/** The issues between fields of a registration, whether or not the other fields are valid. */
export const runFieldIssues = (body: unknown): ReadonlyArray<Issue> => {
  if (!Predicate.isObject(body)) return []
  const { failedStepIndex, name, prompt, status, stepCount }: { readonly [Field in string]?: unknown } = { ...body }
  const issues: Array<Issue> = []
  if (name === undefined && prompt === undefined) {
    issues.push({ path: "name", message: "is required where there is no prompt" })
  }
  const counted = Predicate.isNumber(failedStepIndex) && Predicate.isNumber(stepCount)
  if (status !== "passed" && counted && failedStepIndex >= stepCount) {
    issues.push({ path: "failedStepIndex", message: "counts from 0 and must be below stepCount" })
  }
  return issues
}

/** `status` is any JSON value; a pass is the exact string `passed`. @see docs/interface.md#2.7 */
export const RegisterTestRunRequest = fields
  .check(
    Schema.makeFilter((body: typeof fields.Type) =>
      runFieldIssues(body).map(({ message, path }) => ({ path: [path], issue: message }))
    )
  )
  .annotate({ identifier: "RegisterTestRunRequest" })

/** What a run is registered with, and the repository it belongs to. */
export const toRegisterRun = (body: typeof RegisterTestRunRequest.Type): RegisterRun => {
  const { commitSha, owner, previewShareId, repo, status, ...report } = body
  return {
    owner,
    repo,
    report: {
      ...report,
      ...withoutUndefined({ commitSha: commitSha?.toLowerCase() }),
      previewShareId: ShareId.make(previewShareId),
      status
    }
  }
}

/** @see docs/interface.md#4.10 */
export const listTestRunsQuery = {
  org: OwnerName,
  repo: RepoName,
  branch: Schema.optionalKey(Name),
  kind: Schema.optionalKey(TestRunKind),
  status: Schema.optionalKey(TestRunStatus),
  source: Schema.optionalKey(Name),
  ciRun: Schema.optionalKey(
    Name.annotate({
      description:
        "The runs of every attempt at a CI run: `github:1` lists the sources `github:1`, `github:1/1`, `github:1/2` and so on."
    })
  ),
  pr: Schema.optionalKey(WholeNumber.pipe(Schema.decodeTo(PullRequest))),
  app: Schema.optionalKey(AppName.annotate({ description: "Only runs of this app." })),
  limit: Schema.optionalKey(WholeNumber),
  cursor: Schema.optionalKey(text(1024))
}
