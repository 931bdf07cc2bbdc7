import { Context, Effect, Redacted, Schema, type SchemaAST } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Caller, ExternalIdentity, RepositorySelection } from "../../core/model/ApiKey.ts"
import { type InvalidRequest, Unauthorized, Unavailable, type RateLimited } from "../../core/model/Problem.ts"
import { keyPrefix } from "../../core/rules/credentials.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { limitAttemptBy, noteCaller } from "./requestContext.ts"

/**
 * Identifies the caller of a request by the embedder's own means: a session, a JWT, a client certificate. `undefined`
 * is answered 401. It is called for every request to the API, so a revoked caller is refused at its next request. An
 * error, or an invalid return value, is answered 503; only the log has the cause.
 *
 * `request` is the very object that was given to `fetch`; its body has to stay unread (read a clone). `byKey` asks for
 * the API key that the request brought: without it, keys open nothing.
 *
 * @see docs/interface.md#5
 */
export type Authenticate = (
  request: Request,
  byKey: () => Promise<ExternalIdentity | undefined>
) => ExternalIdentity | undefined | Promise<ExternalIdentity | undefined>

/** The embedder's {@link Authenticate}; without one, only API keys open anything. */
export const OwnAuthenticate = Context.Reference<Authenticate | undefined>("slipway/hosts/http/OwnAuthenticate", {
  defaultValue: () => undefined
})

const Selection = Schema.optional(
  Schema.Union([
    Schema.Array(Schema.String),
    Schema.declare((value): value is Extract<RepositorySelection, Function> => typeof value === "function")
  ])
)

/** An `ExternalIdentity` that a function of the embedder's answers. */
export const externalIdentityFields = {
  account: Schema.String,
  scopes: Schema.Array(Schema.String),
  repositories: Selection,
  writableRepositories: Selection
}

const AuthenticateResult = Schema.UndefinedOr(Schema.Struct(externalIdentityFields))

const unknown = new Unauthorized({ detail: "This host does not know who sends the request." })

/**
 * Calls a function of the embedder's. `Unavailable` when it fails, or answers what doesn't fit; the log tells which and
 * why.
 */
export const callHook = <A>(
  name: string,
  schema: Schema.Codec<A>,
  ask: () => A | Promise<A>,
  options: SchemaAST.ParseOptions = {}
) =>
  Effect.tryPromise(async () => ask()).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(schema, options)),
    Effect.tapError((error) =>
      error.cause instanceof Unavailable
        ? Effect.void
        : Effect.logError(`${name} failed, so the request is refused`, error)
    ),
    Effect.mapError(() => Unavailable.default)
  )

/**
 * The caller of the current request, by its credential (empty when it has none). The request is counted against the
 * limits of the key and the account, and a wrong credential against those of the address: `RateLimited` over one of
 * them.
 */
export const authenticateRequest = Effect.gen(function* () {
  const authorization = yield* Authorization
  const authenticate = yield* OwnAuthenticate
  const limits = yield* RateLimits

  const limitAttempt = limitAttemptBy(yield* RateLimits)

  /** The caller as the embedder's function identifies it. */
  const identifiedBy = Effect.fnUntraced(function* (
    authenticate: Authenticate,
    credential: Redacted.Redacted
  ): Effect.fn.Return<Caller, InvalidRequest | Unauthorized | Unavailable, HttpServerRequest.HttpServerRequest> {
    const request = yield* Effect.orDie(HttpServerRequest.toWeb(yield* HttpServerRequest.HttpServerRequest))
    const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
    let found: { readonly caller: Caller; readonly identity: ExternalIdentity } | undefined
    let refused = unknown
    const byKey = () =>
      authorization.authenticate(credential).pipe(
        Effect.map((caller) => {
          found = { caller, identity: { account: caller.account.name, scopes: caller.scopes } }
          return found.identity
        }),
        Effect.catchTag("Unauthorized", (problem) => {
          refused = problem
          return Effect.undefined
        }),
        runPromise
      )
    let answer: ExternalIdentity | undefined
    const identity = yield* callHook(
      "authenticate",
      AuthenticateResult,
      async () => (answer = await authenticate(request, byKey))
    )
    if (identity === undefined) return yield* refused
    return found !== undefined && answer === found.identity
      ? found.caller
      : // What no account can be called is one that doesn't exist.
        yield* Effect.catchTag(authorization.admitExternal(identity), "InvalidRequest", () => unknown)
  })

  const count = (caller: Caller) => Effect.flatMap(noteCaller(caller), () => Effect.as(limits.count(caller), caller))

  return (
    credential: Redacted.Redacted
  ): Effect.Effect<
    Caller,
    InvalidRequest | Unauthorized | RateLimited | Unavailable,
    HttpServerRequest.HttpServerRequest
  > => {
    const shown = Redacted.value(credential)
    const caller: Effect.Effect<
      Caller,
      InvalidRequest | Unauthorized | Unavailable,
      HttpServerRequest.HttpServerRequest
    > = authenticate === undefined ? authorization.authenticate(credential) : identifiedBy(authenticate, credential)
    const limited =
      shown === "" ? caller : limitAttempt({ kind: "api_key", keyPrefix: keyPrefix(shown) }, "Unauthorized", caller)
    return Effect.flatMap(limited, count)
  }
})
