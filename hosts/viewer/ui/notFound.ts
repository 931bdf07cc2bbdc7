import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { notFoundPage } from "./message.ts"
import { pageContext } from "./pageContext.ts"

/**
 * An unknown address is answered with a page for people, and with the API's problem for a client that doesn't ask for
 * HTML.
 */
const nowhere = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest.HttpServerRequest
  const isForPeople = /\btext\/html\b/i.test(headers["accept"] ?? "") && !url.startsWith("/api/")
  return isForPeople ? notFoundPage(yield* pageContext) : yield* NotFound.answer
})

/** All other paths. */
export const routes = [HttpRouter.route("GET", "/*", nowhere)]
