/**
 * Every refusal is answered as RFC 9457 `application/problem+json` with the id of its request, including those that the
 * framework makes itself.
 *
 * @see docs/interface.md#7
 */
import { Cause, Effect, Schema } from "effect"
import { HttpServerError, HttpServerResponse, ProblemDetails } from "effect/http"
import { UnsupportedMediaType } from "../../core/api/middleware.ts"
import { Internal, InvalidRequest, NotFound, PayloadTooLarge } from "../../core/model/Problem.ts"
import { countRefusal } from "../../core/service/telemetry.ts"
import { HttpProblem } from "./HttpProblem.ts"
import { observeProblem } from "./hooks.ts"
import { RequestId } from "./requestContext.ts"

const isProblem = Schema.is(HttpProblem)
const encodeProblem = Schema.encodeSync(HttpProblem)

/** The body is not JSON. */
export const notJson = new InvalidRequest({
  detail: "The body is not valid JSON.",
  issues: [{ path: "", message: "must be valid JSON in UTF-8" }]
})

/** A failure to read a body of more than `bytes`. Other failures to read it are defects here. */
export const unreadable = (error: HttpServerError.HttpServerError, bytes: bigint) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? new PayloadTooLarge({ detail: `The body is larger than ${bytes} bytes, the most that this endpoint takes.` })
    : Effect.die(error)

const bodyTooLarge = new PayloadTooLarge({ detail: "The body is larger than this service takes." })

/** The content type of the body is not JSON. */
export const notJsonType = new UnsupportedMediaType({ detail: "The body must be application/json." })
const internal = new Internal({ detail: "Something went wrong here, not with the request." })

/** The problem that the client is answered for a failure or a defect. */
const asProblem = (error: unknown): HttpProblem => {
  if (isProblem(error)) return error
  if (HttpServerError.isHttpServerError(error)) {
    if (error.reason._tag === "RouteNotFound") return NotFound.default
    if (error.reason._tag === "RequestParseError")
      return error.reason.reason === "BodyTooLarge" ? bodyTooLarge : notJson
  }
  return internal
}

const headersOf = (problem: HttpProblem): Record<string, string> => {
  switch (problem._tag) {
    case "Unauthorized":
      return { "www-authenticate": "Bearer" }
    case "InsufficientScope":
      return { "www-authenticate": `Bearer error="insufficient_scope", scope="${problem.requiredScopes.join(" ")}"` }
    case "MethodNotAllowed":
      return { allow: problem.allow.join(", ") }
    case "RangeNotSatisfiable":
      return { "content-range": `bytes */${problem.sizeBytes}` }
    case "RateLimited":
      return {
        "retry-after": `${problem.retryAfterSeconds}`,
        "ratelimit-policy": `"${problem.policy}";q=${problem.limit}${
          problem.windowSeconds === undefined ? "" : `;w=${problem.windowSeconds}`
        }`,
        ratelimit: `"${problem.policy}";r=0;t=${problem.retryAfterSeconds}`
      }
    case "Unavailable":
      return { "retry-after": "5" }
    default:
      return {}
  }
}

/** Reports a problem to the embedder, and answers it with the id of the request at hand. `shown` is its text on a page. */
const reported = Effect.fnUntraced(function* (problem: HttpProblem, shown = problem.detail) {
  return yield* observeProblem({ ...encodeProblem(problem), detail: shown, requestId: yield* RequestId })
})

/** The text of a problem on a page, which the embedder may replace. */
export const reportedText = (problem: HttpProblem, shown: string): Effect.Effect<string> =>
  Effect.map(reported(problem, shown), ({ detail }) => detail)

/** A problem as the response to the request at hand. */
export const problemResponse = (problem: HttpProblem): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.gen(function* () {
    yield* countRefusal(problem.code)
    const body = yield* reported(problem)
    return HttpServerResponse.jsonUnsafe(body, {
      status: problem.status,
      contentType: ProblemDetails.contentType,
      headers: { "cache-control": "no-store", ...headersOf(problem) }
    })
  })

/**
 * Answers every failure and defect with a problem. A fault of the service is logged with its cause, and the client only
 * learns that there was one. An interrupted request stays interrupted.
 */
export const answerProblems = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, Exclude<E, HttpProblem>, R> =>
  Effect.catchCause(app, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const problem = asProblem(Cause.squash(cause))
    const answer = problemResponse(problem)
    return problem.status === 500
      ? Effect.andThen(Effect.logError("A request failed by a fault of the service", cause), answer)
      : answer
  })
