import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"
import { RegisterTestRunRequest, toRegisterRun, toTestRunList, toTestRunRecord } from "../../core/api/testRuns.ts"
import type { TestRunId } from "../../core/model/TestRun.ts"
import { Principal } from "../../core/model/ApiKey.ts"
import { Settings } from "../../core/service/Settings.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { jsonBody } from "./jsonBody.ts"
import { shareLinkHandlers } from "./shareLinks.ts"

/** The endpoints of docs/interface.md#4.9 and #4.10, over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "testRuns",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* TestRuns
    const { viewerUrl } = yield* Settings
    const { createShareLink, ...links } = (yield* shareLinkHandlers)((run: TestRunId) => ({ run }))
    const bodyOf = yield* jsonBody(RegisterTestRunRequest)

    return handlers
      .handleRaw("createShareLink", createShareLink)
      .handleRaw(
        "register",
        Effect.fnUntraced(function* (request) {
          const report = toRegisterRun(yield* bodyOf(request))
          const { repository, run } = yield* runs.register(yield* Principal, report, request.headers["idempotency-key"])
          const body = toTestRunRecord(run, repository, viewerUrl)
          return HttpApiSchema.withHeaders({ body, headers: { location: body.traceUrl } })
        })
      )
      .handleAll({
        ...links,
        list: Effect.fnUntraced(function* ({ query }) {
          const { cursor, limit, org, repo, ...filter } = query
          const page = yield* runs.list(yield* Principal, { owner: org, repo, filter, limit, cursor })
          return toTestRunList(page, viewerUrl)
        }),
        delete: Effect.fnUntraced(function* ({ params }) {
          yield* runs.delete(yield* Principal, params.id)
        })
      })
  })
)
