import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { IdempotencyConflict, NotFound, PreviewNotReady, QuotaExceeded } from "../../model/Problem.ts"
import { isId } from "../../model/Id.ts"
import { TestRunId } from "../../model/TestRun.ts"
import { protect } from "../parts/protect.ts"
import { CrossFieldIssues } from "../parts/crossFieldIssues.ts"
import { deletion } from "../parts/deletion.ts"
import { idempotencyHeader } from "../parts/idempotencyHeader.ts"
import { shareLinkEndpoints } from "../shareLinks/endpoints.ts"
import { runFieldIssues, listTestRunsQuery, RegisterTestRunRequest } from "./requests.ts"
import { TestRunList, TestRunRecord } from "./responses.ts"

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
    .add(register, list, deletion(runParam, "a test run", "test_runs"), ...shareLinks)
    .prefix("/api/v1/test-runs")
) {}
