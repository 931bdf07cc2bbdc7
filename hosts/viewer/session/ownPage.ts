import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { foreignPage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"
import { isForeign } from "../access/site.ts"

/** Refuses a form that another site sent: nobody does anything here by a page that isn't the viewer's. */
export const fromOwnPage = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const context = yield* pageContext
    return isForeign(context.site, yield* HttpServerRequest.HttpServerRequest) ? foreignPage(context) : yield* app
  })
