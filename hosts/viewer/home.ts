import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { goTo } from "./goTo.ts"
import { homePage } from "./pages/home.ts"
import { icon } from "./pages/icon.ts"
import { unavailablePage } from "./pages/message.ts"
import { Sessions } from "./session.ts"
import { Site } from "./site.ts"

const home = Effect.gen(function* () {
  const site = yield* Site
  const sessions = yield* Sessions
  return yield* sessions.caller.pipe(
    Effect.map(({ account }) => homePage({ site, account })),
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
