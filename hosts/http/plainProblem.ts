import { Schema } from "effect"
import { ProblemDetails } from "effect/http"
import { Internal } from "../../core/model/Problem.ts"
import { HttpProblem } from "./HttpProblem.ts"
import { usableRequestId } from "./requestContext.ts"

const encode = Schema.encodeSync(HttpProblem)

/** A problem as the response to a request that no route gets. */
export const plainProblem = (
  request: Pick<Request, "headers">,
  problem: HttpProblem,
  headers: Readonly<Record<string, string>> = {}
): Response => {
  const requestId = usableRequestId(request.headers.get("x-request-id") ?? undefined) ?? crypto.randomUUID()
  return new Response(JSON.stringify({ ...encode(problem), requestId }), {
    status: problem.status,
    headers: {
      "content-type": ProblemDetails.contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
      ...headers
    }
  })
}

export const bodyAlreadyRead = new Internal({
  detail: "Other code of this server read the body of the request before Slipway: mount Slipway before it."
})
