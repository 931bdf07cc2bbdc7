import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { foreignPage } from "../ui/message.ts"
import { isForeign, Site } from "../access/site.ts"

/** Refuses a form that another site sent: nobody does anything here by a page that isn't the viewer's. */
export const fromOwnPage = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const site = yield* Site
    return isForeign(site, yield* HttpServerRequest.HttpServerRequest) ? foreignPage({ site }) : yield* app
  })
