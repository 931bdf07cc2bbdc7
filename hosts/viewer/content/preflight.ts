import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

/** A browser asks first before it sends some forms of `Range` across origins. Nothing is told by the answer. */
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
