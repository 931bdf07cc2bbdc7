import { Schema } from "effect"
import { ProblemDetails } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { InvalidRequest, problemClass, Unavailable } from "../../core/model/Problem.ts"
import { usableRequestId } from "../http/accessNotes.ts"

/** The body of the request took too long to arrive. */
export class RequestTimeout extends problemClass<RequestTimeout>()(
  "RequestTimeout",
  408,
  "request_timeout",
  "Request timeout",
  {}
) {}

/** The problems that the server answers before a route gets the request, or when no route can continue with it. */
const NodeProblem = Schema.Union([InvalidRequest, RequestTimeout, Unavailable])
const encode = Schema.encodeSync(NodeProblem)

/** Answers a request of Node's server with the same problem as a route would, then closes the connection. */
export const answerProblem = (
  { headers }: IncomingMessage,
  response: ServerResponse,
  problem: typeof NodeProblem.Type,
  more: Readonly<Record<string, string>> = {}
): void => {
  const requestId = usableRequestId([headers["x-request-id"]].flat()[0]) ?? crypto.randomUUID()
  const body = JSON.stringify({ ...encode(problem), requestId })
  response.writeHead(problem.status, {
    "content-type": ProblemDetails.contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...more,
    connection: "close"
  })
  response.end(body)
}
