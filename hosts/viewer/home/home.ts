import { DateTime, Effect, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Overview } from "../../../core/service/Overview.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/goTo.ts"
import { ifAllowed } from "../session/ifAllowed.ts"
import { latestRuns } from "../session/latestRuns.ts"
import { homePage } from "./homePage.ts"
import { icon } from "../ui/icon.ts"
import { problemPage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"
import { seenBy, visitor } from "../session/visitor.ts"

/** How many branches and runs are shown, the latest ones. */
const mostBranches = 12
const mostRuns = 12
/** How many repositories have a card, those linked last, and how many are read at once; the others are links. */
const mostCards = 40
const readAtOnce = 4

/** The repositories of an account, those with a card apart from the others. */
const repositoriesOf = Effect.fnUntraced(function* (caller: Visitor) {
  const histories = yield* TestHistories
  const all = yield* (yield* Overview).repositories(caller)
  if (!caller.scopes.includes("test_runs")) return { histories: [], others: all }
  const newest = all.toSorted((a, b) => DateTime.toEpochMillis(b.linkedAt) - DateTime.toEpochMillis(a.linkedAt))
  const found = yield* Effect.forEach(
    newest.slice(0, mostCards),
    // One that was unlinked in the meantime is left out.
    (repository) =>
      histories.repository(caller, { owner: repository.owner, repo: repository.repo }).pipe(
        Effect.map(Option.some),
        Effect.catchTag("NotFound", () => Effect.succeedNone)
      ),
    { concurrency: readAtOnce }
  )
  return { histories: found.flatMap(Option.toArray), others: newest.slice(mostCards) }
})

const home = Effect.gen(function* () {
  const context = yield* pageContext
  const overview = yield* Overview
  return yield* visitor.pipe(
    Effect.flatMap(
      Effect.fnUntraced(function* (caller) {
        const facts = yield* Effect.all(
          {
            repositories: repositoriesOf(caller),
            builds: ifAllowed(caller, "builds", overview.branches(caller, { limit: mostBranches })),
            runs: ifAllowed(
              caller,
              "test_runs",
              Effect.flatMap(overview.runs(caller, mostRuns), (runs) => latestRuns(caller, runs))
            ),
            now: DateTime.now
          },
          { concurrency: "unbounded" }
        )
        return homePage(seenBy(context, caller), facts)
      })
    ),
    Effect.catchTags({
      Unauthorized: () => Effect.succeed(goTo(context.site, "/sign-in")),
      Unavailable: (problem) => problemPage(context, problem)
    })
  )
})

const sendIcon = Effect.succeed(
  HttpServerResponse.text(icon, { contentType: "image/svg+xml", headers: { "cache-control": "public, max-age=86400" } })
)

/** The home page, and the icon of every page. */
export const routes = [HttpRouter.route("GET", "/", home), HttpRouter.route("GET", "/icon.svg", sendIcon)]
