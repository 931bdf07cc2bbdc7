import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Site } from "../access/site.ts"
import { OtherSignIn } from "../access/signInMethod.ts"
import { Programs } from "../access/programs.ts"
import { Assets } from "./assets.ts"
import { isTheme, themeCookie } from "./theme.ts"
import type { PageContext } from "./layout.ts"

/** The context of a page for a request whose sender isn't known yet. */
export const pageContext = Effect.gen(function* () {
  const { cookies, headers } = yield* HttpServerRequest.HttpServerRequest
  return {
    site: yield* Site,
    assets: yield* Assets,
    host: headers["host"],
    askedAt: yield* Clock.currentTimeMillis,
    theme: isTheme(cookies[themeCookie]) ? cookies[themeCookie] : "system",
    otherSignIn: yield* OtherSignIn,
    hasPrograms: (yield* Programs) !== undefined
  } satisfies PageContext
})
