import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { notFoundPage } from "./message.ts"
import { pageContext } from "./pageContext.ts"

/** A wrong address answers people with a page, and everything that doesn't ask for HTML with the problem, as in the API. */
const nowhere = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest.HttpServerRequest
  const isForPeople = /\btext\/html\b/i.test(headers["accept"] ?? "") && !url.startsWith("/api/")
  return isForPeople ? notFoundPage(yield* pageContext) : yield* NotFound.answer
})

/** All other paths. */
export const routes = [HttpRouter.route("GET", "/*", nowhere)]
