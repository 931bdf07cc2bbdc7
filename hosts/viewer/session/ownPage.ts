import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { foreignPage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"
import { isForeign } from "../access/site.ts"

/** Refuses a form that another site's page sent, so that no other site can act for a signed-in person. */
export const fromOwnPage = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const context = yield* pageContext
    return isForeign(context.site, yield* HttpServerRequest.HttpServerRequest) ? foreignPage(context) : yield* app
  })
