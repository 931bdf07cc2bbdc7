import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { Principal } from "../../../core/model/ApiKey.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount, idIn } from "../session/account.ts"
import { comparePage } from "./comparePage.ts"
import { runPreviewFor } from "./runs.ts"

const side = Effect.fnUntraced(function* (caller: Principal["Service"], id: string | null) {
  const runs = yield* TestRuns
  const view = yield* runs.read(caller, TestRunId.make(yield* idIn(id ?? "")))
  return { ...view, preview: yield* runPreviewFor(caller, view) }
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
