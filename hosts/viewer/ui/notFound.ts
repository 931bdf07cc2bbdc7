import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { notFoundPage } from "./message.ts"
import { pageContext } from "./pageContext.ts"

/** What people get who follow a wrong address: a page. Whatever doesn't ask for one gets the problem, as in the API. */
const nowhere = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest.HttpServerRequest
  const isForPeople = /\btext\/html\b/i.test(headers["accept"] ?? "") && !url.startsWith("/api/")
  return isForPeople ? notFoundPage(yield* pageContext) : yield* NotFound.answer
})

/** Every path that nothing else has. */
export const routes = [HttpRouter.route("GET", "/*", nowhere)]
