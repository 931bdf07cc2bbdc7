import type { IncomingMessage, ServerResponse } from "node:http"
import { Unavailable } from "../../core/model/Problem.ts"
import { answerProblem } from "./nodeProblem.ts"

const starting = new Unavailable({ detail: "The host is starting. Try again in a moment." })

/** The answer of a host that listens already, while its engines are being opened; it closes the connection. */
export const answerStarting = (request: IncomingMessage, response: ServerResponse): void =>
  answerProblem(request, response, starting, { "retry-after": "1" })
