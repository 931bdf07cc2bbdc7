/**
 * Every refusal is answered as RFC 9457 `application/problem+json` with the id of its request, including those that the
 * framework makes itself.
 *
 * @see docs/interface.md#7
 */
import { Cause, Effect, Schema, SchemaIssue } from "effect"
import { HttpServerError, HttpServerResponse, ProblemDetails } from "effect/http"
import { UnsupportedMediaType } from "../../core/api/middleware.ts"
import { Internal, InvalidRequest, type Issue, NotFound, PayloadTooLarge } from "../../core/model/Problem.ts"
import { countRefusal } from "../../core/service/metrics.ts"
import { HttpProblem } from "./HttpProblem.ts"
import { observeProblem } from "./hooks.ts"
import { RequestId } from "./accessNotes.ts"

const isProblem = Schema.is(HttpProblem)
const encodeProblem = Schema.encodeSync(HttpProblem)

/**
 * An `InvalidRequest` with the issues found, up to as many as are listed. An issue of `others` is added if none of those
 * found has its path.
 */
export const invalidRequest = (found: ReadonlyArray<Issue>, others: ReadonlyArray<Issue> = []): InvalidRequest => {
  const named = new Set(found.map(({ path }) => path))
  const issues = [...found, ...others.filter(({ path }) => !named.has(path))]
  return new InvalidRequest({
    detail:
      issues.length > maxIssues
        ? `The request does not fit in more than ${maxIssues} places; issues has the first ${maxIssues}.`
        : "The request does not fit; see issues.",
    issues: issues.slice(0, maxIssues)
  })
}

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

/** The errors of a schema as the issues that a refusal lists. */

/** One mismatch, and its path in the request. */
export interface Mismatch {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** How many issues are listed at most. Without a bound, a small body could cause a huge answer. */
export const maxIssues = 1000

const leafMessage = (issue: SchemaIssue.Leaf): string =>
  issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue)

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafMessage })

/** Yields the mismatches one by one, so that only those that are listed are formatted. */
function* walk(issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): Generator<Mismatch> {
  switch (issue._tag) {
    case "Pointer":
      yield* walk(issue.issue, [...path, ...issue.path])
      break
    case "Encoding":
      yield* walk(issue.issue, path)
      break
    case "Composite":
      for (const one of issue.issues) yield* walk(one, path)
      break
    default:
      for (const { message, path: below = [] } of format(issue).issues) {
        yield { message, path: [...path, ...below.map((part) => (typeof part === "object" ? part.key : part))] }
      }
  }
}

/** The mismatches that a schema found: as many as are listed, and one more if there are more. */
export const mismatchesOf = (issue: SchemaIssue.Issue): ReadonlyArray<Mismatch> =>
  Array.from(walk(issue, []).take(maxIssues + 1))

/** A mismatch as a refusal lists it: dots between the segments of its path. */
export const toIssue = ({ message, path }: Mismatch): Issue => ({ message, path: path.map(String).join(".") })
