import { ProblemDetails } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { requestIdFor } from "../http/requestId.ts"

/** A problem that the server itself answers with: no route has the request yet, or none can go on with it. */
export interface NodeProblem {
  readonly status: number
  readonly type: string
  readonly title?: string
  readonly code: string
  readonly detail: string
}

/** Answers a request of Node's with a problem, as the routes would have, and closes the connection after it. */
export const answerProblem = (
  { headers }: IncomingMessage,
  response: ServerResponse,
  problem: NodeProblem,
  more: Readonly<Record<string, string>> = {}
): void => {
  const requestId = requestIdFor([headers["x-request-id"]].flat()[0])
  const body = JSON.stringify({ ...problem, requestId })
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
