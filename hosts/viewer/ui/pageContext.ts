import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Site } from "../access/site.ts"
import { Assets } from "./assets.ts"
import type { PageContext } from "./layout.ts"

/** What a page is made with, for a request of which nobody knows yet who sends it. */
export const pageContext = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return { site: yield* Site, assets: yield* Assets, host: headers["host"] } satisfies PageContext
})
