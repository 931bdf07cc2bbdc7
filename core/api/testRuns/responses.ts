import { Schema } from "effect"
import type { Repository } from "../../model/Repository.ts"
import { TestRun } from "../../model/TestRun.ts"
import type { RunPage } from "../../service/TestRuns.ts"
import { previewUrl } from "../previews/responses.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"

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
export const traceUrl = (viewerUrl: string, id: string): string => `${viewerUrl}/runs/${id}`

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
