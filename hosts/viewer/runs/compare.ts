import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { toTestRunRecord } from "../../../core/api/testRuns/responses.ts"
import type { Principal } from "../../../core/model/Principal.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount, idIn } from "../session/account.ts"
import { comparePage } from "./comparePage.ts"
import { runPreviewFor } from "./runs.ts"

const side = Effect.fnUntraced(function* (caller: Principal["Service"], id: string | null) {
  const runs = yield* TestRuns
  const { viewerUrl } = yield* Settings
  const view = yield* runs.read(caller, TestRunId.make(yield* idIn(id ?? "")))
  return { run: toTestRunRecord(view.run, view.repository, viewerUrl), preview: yield* runPreviewFor(caller, view) }
})

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const { left, right } = yield* Effect.all(
      { left: side(caller, query.get("left")), right: side(caller, query.get("right")) },
      { concurrency: "unbounded" }
    )
    return comparePage(context, left, right)
  })
)

/** Two runs side by side. */
export const routes = [HttpRouter.route("GET", "/compare", show)]
