import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Overview } from "../../../core/service/Overview.ts"
import { Usage } from "../../../core/service/Usage.ts"
import { goTo } from "../access/goTo.ts"
import { ifAllowed } from "../session/ifAllowed.ts"
import { latestRuns } from "../session/latestRuns.ts"
import { homePage } from "./homePage.ts"
import { icon } from "../ui/icon.ts"
import { unavailablePage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"
import { seenBy, visitor } from "../session/visitor.ts"

/** How many branches and runs are shown, the latest ones. */
const mostBranches = 12
const mostRuns = 12

const home = Effect.gen(function* () {
  const context = yield* pageContext
  const overview = yield* Overview
  const usage = yield* Usage
  return yield* visitor.pipe(
    Effect.flatMap(
      Effect.fnUntraced(function* (caller) {
        const facts = yield* Effect.all(
          {
            repositories: overview.repositories(caller),
            builds: ifAllowed(caller, "builds", overview.branches(caller, { limit: mostBranches })),
            runs: ifAllowed(
              caller,
              "test_runs",
              Effect.flatMap(overview.runs(caller, mostRuns), (runs) => latestRuns(caller, runs))
            ),
            billedThisMonth: ifAllowed(caller, "test_runs", overview.billedThisMonth(caller)),
            usage: usage.read(caller),
            now: DateTime.now
          },
          { concurrency: "unbounded" }
        )
        return homePage(seenBy(context, caller), facts)
      })
    ),
    Effect.catchTags({
      Unauthorized: () => Effect.succeed(goTo(context.site, "/sign-in")),
      Unavailable: () => Effect.succeed(unavailablePage(context))
    })
  )
})

const sendIcon = Effect.succeed(
  HttpServerResponse.text(icon, { contentType: "image/svg+xml", headers: { "cache-control": "public, max-age=86400" } })
)

/** The home page, and the icon of every page. */
export const routes = [HttpRouter.route("GET", "/", home), HttpRouter.route("GET", "/icon.svg", sendIcon)]
