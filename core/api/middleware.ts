import {
  HttpApiEndpoint,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi,
  type HttpApiGroup
} from "effect/http-api"
import {
  InsufficientScope,
  InsufficientStorage,
  Internal,
  InvalidRequest,
  NotFound,
  PayloadTooLarge,
  problemClass,
  RateLimited,
  Unauthorized,
  Unavailable
} from "../model/Problem.ts"
import { Context, type Schema } from "effect"
import { Principal, type Scope } from "../model/ApiKey.ts"

/** The request does not accept JSON, the only content type of the API. */
export class NotAcceptable extends problemClass<NotAcceptable>()(
  "NotAcceptable",
  406,
  "not_acceptable",
  "Not acceptable",
  {}
) {}

/** The body's content type isn't JSON, or it has a content encoding. */
export class UnsupportedMediaType extends problemClass<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  415,
  "unsupported_media_type",
  "Unsupported media type",
  {}
) {}

/** Refuses a request whose `Accept` header admits no JSON, or whose body is encoded. @see docs/interface.md#4 */
export class Negotiation extends HttpApiMiddleware.Service<Negotiation>()("slipway/core/api/Negotiation", {
  error: [NotAcceptable, UnsupportedMediaType]
}) {}

/** The refusals that any endpoint may answer with, whatever it does. @see docs/interface.md#7 */
export class Refusals extends HttpApiMiddleware.Service<Refusals>()("slipway/core/api/Refusals", {
  error: [InvalidRequest, UnsupportedMediaType, PayloadTooLarge, Internal, Unavailable, InsufficientStorage]
}) {}

/**
 * The scopes that an endpoint or its group demands: an annotation on either. One for any key has none. It has no default: a request to an endpoint
 * without it is a defect, and admits nobody.
 *
 * @see docs/interface.md#5
 */
export class RequiredScopes extends Context.Service<RequiredScopes, ReadonlyArray<Scope>>()(
  "slipway/core/api/RequiredScopes"
) {}

/**
 * `Authorization: Bearer <key>`: resolves the key to its {@link Principal} and demands the {@link RequiredScopes}.
 *
 * @see docs/interface.md#5
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Principal }>()(
  "slipway/core/api/Authentication",
  {
    requiredForClient: true,
    security: { key: HttpApiSecurity.bearer },
    error: [Unauthorized, InsufficientScope, RateLimited, Unavailable]
  }
) {}

/**
 * A group whose endpoints admit a key with these scopes, or any key, and nobody else. Handlers get their caller by this alone, so an
 * endpoint without scopes does not compile.
 */
export const protect = <Id extends string, Endpoints extends HttpApiEndpoint.Constraint, TopLevel extends boolean>(
  scopes: readonly [Scope, ...ReadonlyArray<Scope>] | "any key",
  group: HttpApiGroup.HttpApiGroup<Id, Endpoints, TopLevel>
) =>
  group
    .middleware(Negotiation)
    .middleware(Authentication)
    .middleware(Refusals)
    .annotate(RequiredScopes, scopes === "any key" ? [] : scopes)

/** The endpoint that deletes one resource: `id` is its id in the path, `scope` that of its group. @see docs/api-behavior.md */
export const deletion = <Id extends Schema.Top & { readonly Encoded: string }>(id: Id, what: string, scope: Scope) =>
  HttpApiEndpoint.delete("delete", "/:id", { params: { id }, success: HttpApiSchema.NoContent, error: NotFound })
    .annotateMerge(
      OpenApi.annotations({
        summary: `Delete ${what}, for good`,
        description: "From the next request on it is not found, and what was uploaded for it is removed."
      })
    )
    .annotate(RequiredScopes, [scope, "delete"])
