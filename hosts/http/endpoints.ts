/**
 * The endpoints of the API as routes. `HttpApiBuilder` does the same in general; this does what the API of Slipway needs, with
 * everything that doesn't depend on a request prepared once: decoders, encoders, scopes and responses.
 */
import { Context, Effect, Layer, Redacted, Result, Schema, type Fiber, type SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiEndpoint, HttpApiSchema, type HttpApiGroup } from "effect/http-api"
import Negotiator from "negotiator"
import { Api } from "../../core/api/Api.ts"
import { Authentication, NotAcceptable, RequiredScopes, UnsupportedMediaType } from "../../core/api/middleware.ts"
import type { Caller, Scope } from "../../core/model/ApiKey.ts"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { actorIn } from "./requestContext.ts"
import { authenticateRequest } from "./authenticate.ts"
import type { HttpProblem } from "./HttpProblem.ts"
import { invalidRequest, mismatchesOf, toIssue } from "../../core/rules/invalidRequest.ts"

/** A request to an endpoint, with its caller where the endpoint needs a key. */
type RequestTo<Endpoint> = HttpApiEndpoint.RequestRaw<Endpoint> &
  (Authentication extends HttpApiEndpoint.Middleware<Endpoint> ? { readonly caller: Caller } : {})

/** What a handler answers. A body whose endpoint declares headers is `created`. */
type Body<Success> = Success extends { readonly body: infer A; readonly headers: { readonly location: string } }
  ? Created<A>
  : Success

/** How each endpoint of a group answers. A body that isn't JSON is an `HttpServerResponse`. */
type Handlers<Endpoints extends HttpApiEndpoint.Constraint> = {
  readonly [Id in HttpApiEndpoint.Identifier<Endpoints>]: (
    request: RequestTo<HttpApiEndpoint.WithIdentifier<Endpoints, Id>>
  ) => Effect.Effect<
    Body<HttpApiEndpoint.SuccessWithIdentifier<Endpoints, Id>> | HttpServerResponse.HttpServerResponse,
    HttpProblem,
    HttpRouter.Provided
  >
}

/** A handler of any endpoint. A method, because each takes the request of its own endpoint. */
interface AnyHandler {
  answer(request: object): Effect.Effect<unknown, HttpProblem, HttpRouter.Provided>
}

/** A body with the address of the resource that was created. */
class Created<A> {
  readonly body: A
  readonly location: string
  constructor(body: A, location: string) {
    this.body = body
    this.location = location
  }
}

/** Answers a body and a `Location` header. */
export const created = <A>(body: A, location: string) => new Created(body, location)

type Schemas = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

/** Writes what a handler answers as the response that its endpoint declares. */
const respondAs = (successes: Schemas) => {
  const [[status, [schema]] = [200, [Schema.Void]]] = successes
  const body = HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema
  if (body === undefined || HttpApiSchema.isNoContent(body.ast)) {
    const empty = HttpServerResponse.empty({ status })
    return () => empty
  }
  const encode = jsonEncoder(Schema.make<Schema.Codec<unknown>>(body.ast))
  const json = (value: unknown, headers?: Readonly<Record<string, string>>) =>
    HttpServerResponse.text(encode(value), {
      status,
      contentType: "application/json",
      ...withoutUndefined({ headers })
    })
  return (answer: unknown) => {
    if (HttpServerResponse.isHttpServerResponse(answer)) return answer
    return answer instanceof Created ? json(answer.body, { location: answer.location }) : json(answer)
  }
}

const encoded = new UnsupportedMediaType({ detail: "The body must be sent without a content encoding." })
const notAcceptable = new NotAcceptable({ detail: "This service answers application/json only." })
const offered = ["application/json", "application/problem+json"]
const acceptsJson = (accept: string | undefined): boolean =>
  accept === undefined || accept === "*/*" || new Negotiator({ headers: { accept } }).mediaType(offered) !== undefined

/** Why a request is refused whatever its endpoint is: it doesn't accept JSON, or its body is encoded. */
const negotiate = ({ headers }: HttpServerRequest.HttpServerRequest): HttpProblem | undefined => {
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) return encoded
  return acceptsJson(headers["accept"]) ? undefined : notAcceptable
}

/** The key of a request: what follows `Bearer` in its `Authorization`. */
const bearerOf = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  /^bearer +(.+)$/is.exec(headers["authorization"] ?? "")?.[1] ?? ""

/** Decodes the parts of a request that are no body. */
const decoderOf = (endpoint: HttpApiEndpoint.Top, options: SchemaAST.ParseOptions) => {
  const decodes = (schema: Schema.Top | undefined) =>
    schema && Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(schema.ast), options)
  const parts = [
    ["params", decodes(endpoint.params)],
    ["headers", decodes(endpoint.headers)],
    ["query", decodes(endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query))]
  ] as const
  return (sent: Readonly<Record<"params" | "headers" | "query", unknown>>): Result.Result<object, HttpProblem> => {
    const decoded: Record<string, unknown> = {}
    for (const [part, decode] of parts) {
      if (decode === undefined) continue
      const result = decode(sent[part])
      if (Result.isFailure(result)) return Result.fail(invalidRequest(mismatchesOf(result.failure.issue).map(toIssue)))
      decoded[part] = result.success
    }
    return Result.succeed(decoded)
  }
}

/**
 * Answers a request for its caller, whose key must have these scopes. The caller is the actor in the audit log.
 *
 * @see docs/interface.md#5
 */
export const makeForCaller = Effect.gen(function* () {
  const authorization = yield* Authorization
  const callerWith = yield* authenticateRequest
  return <A, E, R>(
    scopes: ReadonlyArray<Scope>,
    answer: (caller: Caller, fiber: Fiber.Fiber<unknown, unknown>) => Effect.Effect<A, E, R>
  ) =>
    Effect.withFiber<
      A,
      E | Effect.Error<ReturnType<typeof callerWith>> | Effect.Error<ReturnType<typeof authorization.require>>,
      R | HttpServerRequest.HttpServerRequest
    >((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      return Effect.flatMap(callerWith(Redacted.make(bearerOf(request))), (caller) => {
        // The router's context ends with the request, so this one does.
        fiber.setContext(Context.add(fiber.context, CurrentActor, actorIn(fiber.context, caller)))
        return Effect.flatMap(authorization.require(caller, scopes), () => answer(caller, fiber))
      })
    })
})

/** The routes of a group of endpoints, which these handlers answer. */
export const endpoints = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint, Top extends boolean, R>(
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, Top>,
  make: Effect.Effect<Handlers<Endpoints>, never, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const forCaller = yield* makeForCaller
      const handlers: Readonly<Record<string, AnyHandler["answer"]>> = yield* make
      const routes: Array<HttpRouter.Route<HttpProblem, HttpRouter.Provided>> = []
      HttpApi.reflect(Api, {
        predicate: (one) => one.group.identifier === group.identifier,
        onGroup: () => {},
        onEndpoint: ({ endpoint, mergedAnnotations, middleware, successes }) => {
          const handle = handlers[endpoint.identifier]
          if (handle === undefined) throw new Error(`nothing answers the endpoint ${endpoint.identifier}`)
          const scopes = Context.getOrUndefined(mergedAnnotations, RequiredScopes)
          const needsKey = Array.from(middleware).some(({ key }) => key === Authentication.key)
          if (needsKey !== (scopes !== undefined)) throw new Error(`the endpoint ${endpoint.path} has no scopes`)
          const decode = decoderOf(endpoint, Context.getOrUndefined(mergedAnnotations, HttpApi.ParseOptions) ?? {})
          const respond = respondAs(successes)
          const answer = ({ context }: Fiber.Fiber<unknown, unknown>, caller?: Caller) => {
            const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
            const refused = negotiate(request)
            if (refused !== undefined) return Effect.fail(refused)
            const sent = decode({
              params: Context.getUnsafe(context, HttpRouter.RouteContext).params,
              headers: request.headers,
              query: Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams)
            })
            if (Result.isFailure(sent)) return Effect.fail(sent.failure)
            return Effect.map(handle({ ...sent.success, request, endpoint, group, caller }), respond)
          }
          const handler =
            scopes === undefined
              ? Effect.withFiber((fiber) => answer(fiber))
              : forCaller(scopes, (caller, fiber) => answer(fiber, caller))
          routes.push(HttpRouter.route(endpoint.method, `/${endpoint.path.slice(1)}`, handler))
        }
      })
      return HttpRouter.addAll(routes)
    })
  )
