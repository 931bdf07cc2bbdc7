import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { MethodNotAllowed } from "./HttpProblem.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/**
 * Answers 405 with `Allow` to the methods that a path of the API doesn't have. `OPTIONS` gets an empty answer with
 * `Allow`. A path with `GET` has `HEAD` too.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const allowed = new Map<string, Array<string>>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const known = allowed.get(endpoint.path) ?? []
      allowed.set(endpoint.path, endpoint.method === "GET" ? [...known, "GET", "HEAD"] : [...known, endpoint.method])
    }
  })
  const routes = Array.from(allowed).flatMap(([path, known]) => {
    const allow = [...known, "OPTIONS"].toSorted()
    const refuse = new MethodNotAllowed({ detail: `This path allows ${allow.join(", ")}.`, allow })
    return [
      HttpRouter.route(
        "OPTIONS",
        `/${path.slice(1)}`,
        HttpServerResponse.empty({ headers: { allow: allow.join(", ") } })
      ),
      ...methods
        .filter((method) => !known.includes(method))
        .map((method) => HttpRouter.route(method, `/${path.slice(1)}`, Effect.fail(refuse)))
    ]
  })
  return HttpRouter.addAll(routes)
}
