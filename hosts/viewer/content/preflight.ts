import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

/** Answers the preflight that a browser sends before some cross-origin `Range` requests. The answer reveals nothing. */
export const preflight = Effect.succeed(
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "range, if-range",
      "access-control-max-age": "86400"
    }
  })
)
