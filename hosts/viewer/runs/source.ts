import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount } from "../session/account.ts"
import { sourcePage } from "./sourcePage.ts"

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const [owner, repo, source] = ["owner", "repo", "source"].map((name) => query.get(name) ?? "")
    if (owner === undefined || repo === undefined || source === undefined || source === "")
      return yield* NotFound.answer
    const repository = yield* (yield* Overview).repository(caller, { owner, repo })
    return sourcePage(context, {
      repository,
      source,
      ...(yield* (yield* TestRuns).ciRun(caller, { owner, repo, source }))
    })
  })
)

export const routes = [HttpRouter.route("GET", "/sources", show)]
