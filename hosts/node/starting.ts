import { Schema } from "effect"
import { ProblemDetails } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Unavailable } from "../../core/model/Problem.ts"
import { requestIdFor } from "../http/requestId.ts"

const problem = Schema.encodeSync(Unavailable)(
  new Unavailable({ detail: "The host is starting. Try again in a moment." })
)

/** The answer of a host that listens already, while its engines are being opened; it closes the connection. */
export const answerStarting = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const requestId = requestIdFor([headers["x-request-id"]].flat()[0])
  response.writeHead(503, {
    "content-type": ProblemDetails.contentType,
    "cache-control": "no-store",
    "retry-after": "1",
    "x-request-id": requestId,
    connection: "close"
  })
  response.end(JSON.stringify({ ...problem, requestId }))
}
