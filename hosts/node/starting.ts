import type { IncomingMessage, ServerResponse } from "node:http"
import { Unavailable } from "../../core/model/Problem.ts"
import { answerProblem } from "./nodeProblem.ts"

const starting = new Unavailable({ detail: "The host is starting. Try again in a moment." })

/** Answers 503 while a host already listens but still opens its engines; closes the connection. */
export const answerStarting = (request: IncomingMessage, response: ServerResponse): void =>
  answerProblem(request, response, starting, { "retry-after": "1" })
