import { Predicate, Schema } from "effect"
import { AppName } from "../model/Build.ts"
import { PullRequest, ShareId } from "../model/Preview.ts"
import { IdempotencyConflict, NotFound, PreviewNotReady, QuotaExceeded, type Issue } from "../model/Problem.ts"
import { OwnerName, RepoName, type Repository } from "../model/Repository.ts"
import { reportedFields, TestRun, TestRunId, TestRunKind, TestRunStatus } from "../model/TestRun.ts"
import { atMost, isId, Name, text, timePattern } from "../model/Text.ts"
import type { RegisterRun, RunPage } from "../service/TestRuns.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { CrossFieldIssues, idempotencyHeader, WholeNumber } from "./fields.ts"
import { previewUrl } from "./previews.ts"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { deletion, protect } from "./middleware.ts"
import { shareLinkEndpoints } from "./shareLinks.ts"

const dateTime = Schema.isPattern(timePattern, { message: "must be a time such as 2026-11-24T18:26:30Z" })

const fields = Schema.Struct({
  ...reportedFields,
  status: Schema.optionalKey(Schema.Unknown),
  owner: OwnerName,
  repo: RepoName,
  previewShareId: text(1024).pipe(Schema.brand("ShareId")),
  // A date is parsed in a time that grows with its length.
  startedAt: Schema.optionalKey(
    Schema.String.check(atMost(64), dateTime).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
  )
})

/** The issues between fields of a registration, whether or not the other fields are valid. */
const runFieldIssues = (body: unknown): ReadonlyArray<Issue> => {
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
      status: status as RegisterRun["report"]["status"]
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

const {
  accountId: _account,
  keptAt: _kept,
  metadataBytes: _counted,
  repositoryId: _repository,
  ...shown
} = TestRun.fields

/** A stored run. Both URLs are absolute, on the viewer's host. @see docs/interface.md#2.7, #4.9 */
export const TestRunRecord = Schema.Struct({
  ...shown,
  id: Schema.String,
  previewShareId: Schema.String,
  owner: Schema.String,
  repo: Schema.String,
  previewUrl: Schema.String,
  traceUrl: Schema.String
}).annotate({ identifier: "TestRunRecord" })
export type TestRunRecord = typeof TestRunRecord.Type

/** A page of runs, newest first, of at most 1 MiB unless a single run is larger; `nextCursor` continues it. @see docs/interface.md#4.10 */
export const TestRunList = Schema.Struct({
  testRuns: Schema.Array(TestRunRecord),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TestRunList" })

/** The URL of a run's trace; `viewerUrl` is the viewer's base URL. */
const traceUrl = (viewerUrl: string, id: string): string => `${viewerUrl}/runs/${id}`

/** A run of a repository. */
export const toTestRunRecord = (
  run: TestRun,
  { owner, repo }: Pick<Repository, "owner" | "repo">,
  viewerUrl: string
): TestRunRecord => {
  const { accountId: _account, keptAt: _kept, metadataBytes: _counted, repositoryId: _repository, ...rest } = run
  return {
    ...rest,
    owner,
    repo,
    previewUrl: previewUrl(viewerUrl, run.previewShareId),
    traceUrl: traceUrl(viewerUrl, run.id)
  }
}

/** A page of the list. */
export const toTestRunList = (page: RunPage, viewerUrl: string): typeof TestRunList.Type => ({
  testRuns: page.runs.map(({ repository, run }) => toTestRunRecord(run, repository, viewerUrl)),
  ...withoutUndefined({ nextCursor: page.nextCursor })
})

const runParam = TestRunId.check(isId("must be the id of a run"))

const register = HttpApiEndpoint.post("register", "/", {
  headers: idempotencyHeader,
  payload: RegisterTestRunRequest,
  success: HttpApiSchema.WithHeaders(TestRunRecord.pipe(HttpApiSchema.status(201)), { location: Schema.String }),
  error: [NotFound, PreviewNotReady, IdempotencyConflict, QuotaExceeded]
})
  .annotateMerge(OpenApi.annotations({ summary: "Register a Maestro or Detox run" }))
  .annotate(CrossFieldIssues, runFieldIssues)

const list = HttpApiEndpoint.get("list", "/", {
  query: listTestRunsQuery,
  success: TestRunList,
  error: NotFound
}).annotateMerge(
  OpenApi.annotations({
    summary: "List test runs",
    description: "Newest first. `limit` defaults to 20 and is clamped to 1–100."
  })
)

const read = HttpApiEndpoint.get("read", "/:id", {
  params: { id: runParam },
  success: TestRunRecord,
  error: NotFound
}).annotateMerge(
  OpenApi.annotations({
    summary: "Read a test run",
    description: "An extension of the interface.",
    override: { "x-slipway-extension": true }
  })
)

/** What a run shows is its preview's, so that both scopes are needed. */
const shareLinks = shareLinkEndpoints(runParam, {
  what: "a test run",
  scopes: ["test_runs", "preview_upload"],
  refusals: [NotFound]
})

/** @see docs/interface.md#4.9, #4.10 */
export class TestRunsGroup extends protect(
  ["test_runs"],
  HttpApiGroup.make("testRuns")
    .add(register, list, read, deletion(runParam, "a test run", "test_runs"), ...shareLinks)
    .prefix("/api/v1/test-runs")
) {}
