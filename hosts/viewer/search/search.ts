import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Search } from "../../../core/service/Search.ts"
import { forAccount } from "../session/account.ts"
import { searchPage } from "./searchPage.ts"

/** How many characters of a text are sought: as many as a name has. */
const mostCharacters = 1024

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const search = yield* Search
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const text = (query.get("q") ?? "")
      .slice(0, mostCharacters)
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim()
    const found = text === "" ? undefined : yield* search.find(caller, text)
    return searchPage(context, { text, found, now: yield* DateTime.now })
  })
)

/** The search across an account. */
export const routes = [HttpRouter.route("GET", "/search", show)]
