import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Overview } from "../../../core/service/Overview.ts"
import { goTo } from "../access/goTo.ts"
import { ifAllowed } from "../session/ifAllowed.ts"
import { homePage } from "./homePage.ts"
import { icon } from "../ui/icon.ts"
import { unavailablePage } from "../ui/message.ts"
import { Scripts } from "../ui/scripts.ts"
import { SessionCookie } from "../session/sessionCookie.ts"
import { Site } from "../access/site.ts"

/** How many branches and runs are shown: those built and registered last. */
const mostBranches = 12
const mostRuns = 12

const home = Effect.gen(function* () {
  const site = yield* Site
  const scripts = yield* Scripts
  const cookie = yield* SessionCookie
  const overview = yield* Overview
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return yield* cookie.caller.pipe(
    Effect.flatMap(
      Effect.fnUntraced(function* (caller) {
        const facts = yield* Effect.all(
          {
            repositories: overview.repositories(caller),
            builds: ifAllowed(caller, "builds", overview.branches(caller, { limit: mostBranches })),
            runs: ifAllowed(caller, "test_runs", overview.runs(caller, mostRuns)),
            billedThisMonth: ifAllowed(caller, "test_runs", overview.billedThisMonth(caller)),
            now: DateTime.now
          },
          { concurrency: "unbounded" }
        )
        return homePage({ site, scripts, host: headers["host"], account: caller.account }, facts)
      })
    ),
    Effect.catchTags({
      Unauthorized: () => Effect.succeed(goTo(site, "/sign-in")),
      Unavailable: () => Effect.succeed(unavailablePage({ site }))
    })
  )
})

const sendIcon = Effect.succeed(
  HttpServerResponse.text(icon, { contentType: "image/svg+xml", headers: { "cache-control": "public, max-age=86400" } })
)

/** Where one lands who asks for nothing, and the icon of every page. */
export const routes = [HttpRouter.route("GET", "/", home), HttpRouter.route("GET", "/icon.svg", sendIcon)]
