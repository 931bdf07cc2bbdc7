import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** Serves an app below the path of its public URL, whether or not a proxy or the server that mounts it removed that path. */
export const withBasePath = (url: string) => {
  const path = new URL(url).pathname.replace(/\/+$/, "")
  return <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
    path === ""
      ? app
      : Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) => {
          const rest = request.url.slice(path.length)
          if (!request.url.startsWith(path) || !/^(?:$|[/?])/.test(rest)) return request
          return request.modify({ url: rest.startsWith("/") ? rest : `/${rest}` })
        })
}
