import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../model/Problem.ts"
import { TestId } from "../../model/TestHistory.ts"
import { Name } from "../../model/Text.ts"
import { isId } from "../../model/Id.ts"
import { protect } from "../parts/protect.ts"
import { AnnounceImportRequest, listTestsQuery, readSourceQuery, readTestQuery } from "./requests.ts"
import { ImportsRecord, SourceRecord, TestHistoryRecord, TestList, TestTable } from "./responses.ts"

/** What the document says of an endpoint that the interface doesn't have. */
const extension = (summary: string, description: string) =>
  OpenApi.annotations({
    summary,
    description: `An extension of the interface. ${description}`,
    override: { "x-slipway-extension": true }
  })

/** Not part of the interface; see docs/history.md. */
export class TestsGroup extends protect(
  ["test_runs"],
  HttpApiGroup.make("tests")
    .add(
      HttpApiEndpoint.get("list", "/tests", {
        query: listTestsQuery,
        success: [TestList, TestTable],
        error: NotFound
      }).annotateMerge(
        extension(
          "List the tests of a repository",
          "Those that ran last first, with numbers over the last 100 results of each. `flaky=true` selects those with a flaky result among them. `limit` defaults to 50 and is clamped to 1–100."
        )
      ),
      HttpApiEndpoint.get("read", "/tests/:id", {
        params: { id: TestId.check(isId("must be the id of a test")) },
        query: readTestQuery,
        success: TestHistoryRecord,
        error: NotFound
      }).annotateMerge(extension("Read the history of a test", "Its last 100 results, newest first.")),
      HttpApiEndpoint.get("readSource", "/sources/:source", {
        params: { source: Name },
        query: readSourceQuery,
        success: SourceRecord,
        error: NotFound
      }).annotateMerge(
        extension(
          "Read which failures of a CI run are new",
          "`source` is percent-encoded. Compared with the last result of each test on the base branch."
        )
      )
    )
    .add(
      HttpApiEndpoint.post("announceImport", "/sources/:source/imports", {
        params: { source: Name },
        payload: AnnounceImportRequest,
        success: ImportsRecord,
        error: NotFound
      }).annotateMerge(
        extension(
          "Announce an import of a CI run, or close it",
          "An import is open until it is sent again with `registeredRuns`. While one is open, or has registered fewer runs than `expectedRuns`, the CI run is incomplete. Repeated, it changes nothing. `source` is percent-encoded. A CI run has at most 300 imports."
        )
      )
    )
    .prefix("/api/v1")
) {}
