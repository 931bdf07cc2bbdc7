import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { Caller } from "../../../core/model/Principal.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns, type ListRuns } from "../../../core/service/TestRuns.ts"
import { forAccount } from "../session/account.ts"
import { sourcePage } from "./sourcePage.ts"

/** How many runs of a source are counted and shown: 1,000. */
const pages = 10
const onPage = 100

const runsOf = Effect.fnUntraced(function* (caller: Caller, query: Pick<ListRuns, "filter" | "owner" | "repo">) {
  const service = yield* TestRuns
  const runs: Array<TestRunView> = []
  let cursor: string | undefined
  for (let read = 0; read < pages; read++) {
    const page = yield* service
      .list(caller, { ...query, limit: onPage, cursor })
      .pipe(Effect.catchTag("InvalidRequest", Effect.die))
    runs.push(...page.runs)
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  return { runs, isWhole: cursor === undefined }
})

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const [owner, repo, source] = ["owner", "repo", "source"].map((name) => query.get(name) ?? "")
    if (owner === undefined || repo === undefined || source === undefined || source === "")
      return yield* NotFound.answer
    const repository = yield* (yield* Overview).repository(caller, { owner, repo })
    return sourcePage(context, { repository, source, ...(yield* runsOf(caller, { owner, repo, filter: { source } })) })
  })
)

export const routes = [HttpRouter.route("GET", "/sources", show)]
