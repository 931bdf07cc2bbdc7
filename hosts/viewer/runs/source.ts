import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { Name } from "../../../core/model/Text.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount } from "../session/account.ts"
import { sourcePage } from "./sourcePage.ts"

const isName = Schema.is(Name)

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const [owner, repo, source, base] = ["owner", "repo", "source", "base"].map((name) => query.get(name) ?? "")
    const app = query.get("app") || undefined
    if (owner === undefined || repo === undefined || source === undefined || source === "")
      return yield* NotFound.answer
    const repository = yield* (yield* Overview).repository(caller, { owner, repo })
    const { failures, run } = yield* Effect.all(
      {
        run: (yield* TestRuns).ciRun(caller, { owner, repo, source }),
        // A CI run without runs has no failures to compare.
        failures: (yield* TestHistories)
          .failures(caller, { owner, repo, source, app, base: isName(base) ? base : undefined })
          .pipe(Effect.catchTag("NotFound", () => Effect.undefined))
      },
      { concurrency: "unbounded" }
    )
    return sourcePage(context, { repository, source, app, ...run, failures })
  })
)

export const routes = [HttpRouter.route("GET", "/sources", show)]
