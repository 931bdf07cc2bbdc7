import { Effect } from "effect"
import {
  RegisterTestRunRequest,
  TestRunsGroup,
  toRegisterRun,
  toTestRunList,
  toTestRunRecord
} from "../../core/api/testRuns.ts"
import type { TestRunId } from "../../core/model/TestRun.ts"
import { Settings } from "../../core/service/Settings.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { decoded } from "../../core/service/withInput.ts"
import { created, endpoints } from "./endpoints.ts"
import { jsonBody } from "./jsonBody.ts"
import { shareLinkHandlers } from "./shareLinks.ts"

/** The endpoints of docs/interface.md#4.9 and #4.10, over the service. */
export const layer = endpoints(
  TestRunsGroup,
  Effect.gen(function* () {
    const runs = yield* TestRuns
    const { viewerUrl } = yield* Settings
    const links = (yield* shareLinkHandlers)((run: TestRunId) => ({ run }))
    const bodyOf = yield* jsonBody(RegisterTestRunRequest)

    return {
      ...links,
      register: Effect.fnUntraced(function* (request) {
        const report = decoded(toRegisterRun(yield* bodyOf(request)))
        const { repository, run } = yield* runs.register(request.caller, report, request.headers["idempotency-key"])
        const body = toTestRunRecord(run, repository, viewerUrl)
        return created(body, body.traceUrl)
      }),
      list: ({ caller, query: { cursor, limit, org, repo, ...filter } }) =>
        Effect.map(runs.list(caller, decoded({ owner: org, repo, filter, limit, cursor })), (page) =>
          toTestRunList(page, viewerUrl)
        ),
      read: ({ caller, params }) =>
        Effect.map(runs.read(caller, params.id), ({ repository, run }) => toTestRunRecord(run, repository, viewerUrl)),
      delete: ({ caller, params }) => runs.delete(caller, params.id)
    }
  })
)
