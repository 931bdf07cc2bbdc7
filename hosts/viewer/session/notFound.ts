import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { pageContext, problemPage } from "../ui/layout.ts"
import { seenBy, visitor } from "./account.ts"

/**
 * An unknown address is answered with a page for people, and with the API's problem for a client that doesn't ask for
 * HTML.
 */
export const unknownAddress = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest.HttpServerRequest
  const isForPeople = /\btext\/html\b/i.test(headers["accept"] ?? "") && !url.startsWith("/api/")
  if (!isForPeople) return yield* NotFound.default
  const nobody = yield* pageContext
  // Who is signed in keeps the navigation. The page needs no store, so it is shown without that too.
  const context = yield* visitor.pipe(
    Effect.map((caller) => seenBy(nobody, caller)),
    Effect.orElseSucceed(() => nobody)
  )
  return yield* problemPage(context, NotFound.default)
})

/** All other paths. */
export const routes = [HttpRouter.route("GET", "/*", unknownAddress)]
