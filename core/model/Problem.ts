import { Schema } from "effect"
import * as HttpApiError from "effect/http-api/HttpApiError"
import { Scope } from "./ApiKey.ts"
import { QuotaName } from "./Account.ts"

// All of http-api would be loaded by each command, and has 60 modules.

/**
 * The base class of a problem: a tagged error that is encoded as in RFC 9457, with a `detail` and `fields` of its own. Clients
 * rely on its `code`, which never changes. `requestId` is set when the response is sent.
 *
 * @see docs/interface.md#7
 */
export const problemClass =
  <Self = never>() =>
  <
    const Tag extends string,
    const Code extends string,
    const Status extends number,
    const Fields extends Schema.Struct.Fields
  >(
    tag: Tag,
    status: Status,
    code: Code,
    title: string,
    fields: Fields
  ) => {
    const problem = HttpApiError.Problem<Self>()(
      tag,
      { type: `urn:slipway:problem:${code}`, status, title },
      { code: Schema.tag(code), detail: Schema.String, requestId: Schema.optionalKey(Schema.String), ...fields }
    )
    // Frameworks such as Next write to the message of an error, and would throw another one at a getter alone.
    Object.defineProperty(Reflect.get(Object(problem), "prototype") as object, "message", {
      configurable: true,
      get(this: { readonly detail: string }) {
        return this.detail
      },
      set(this: object, value: unknown) {
        Object.defineProperty(this, "message", { configurable: true, value, writable: true })
      }
    })
    return problem
  }

// All errors of the service, as RFC 9457 problems. Each is a tagged error with a `code`. `requestId` is set when the response is
// sent.
//
// @see docs/interface.md#7

/** One mismatch of a request: `path` names the field, dots between segments (`files.0.path`). */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

/** The request does not fit its schema; every mismatch is listed. */
export class InvalidRequest extends problemClass<InvalidRequest>()(
  "InvalidRequest",
  400,
  "invalid_request",
  "Invalid request",
  { issues: Schema.Array(Issue) }
) {}

/** No key, or one that is malformed, unknown, expired or revoked. */
export class Unauthorized extends problemClass<Unauthorized>()(
  "Unauthorized",
  401,
  "unauthorized",
  "Unauthorized",
  {}
) {}

/** A presigned URL was tampered with, has expired, or was used for another request than it was signed for. */
export class UrlRefused extends problemClass<UrlRefused>()(
  "UrlRefused",
  403,
  "url_refused",
  "Presigned URL refused",
  {}
) {}

/** The key lacks a scope that the request needs. */
export class InsufficientScope extends problemClass<InsufficientScope>()(
  "InsufficientScope",
  403,
  "insufficient_scope",
  "Insufficient scope",
  { requiredScopes: Schema.Array(Scope) }
) {}

/** The resource doesn't exist, or belongs to another account. The answer is the same for both. */
export class NotFound extends problemClass<NotFound>()("NotFound", 404, "not_found", "Not found", {}) {
  static readonly default = new NotFound({ detail: "Not found, or not in this account." })
}

/** A declared object that was not uploaded, or not as it was declared: what was expected and what was found. */
export const ObjectMismatch = Schema.Struct({
  objectKey: Schema.String,
  path: Schema.optionalKey(Schema.String),
  reason: Schema.Literals(["missing", "size_mismatch", "content_type_mismatch", "digest_mismatch"]),
  expected: Schema.Union([Schema.String, Schema.Finite]),
  actual: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))
})
export type ObjectMismatch = typeof ObjectMismatch.Type

/** Finalize found objects that are missing or differ from what was declared. The reservation stays open. */
export class UploadIncomplete extends problemClass<UploadIncomplete>()(
  "UploadIncomplete",
  409,
  "upload_incomplete",
  "Upload incomplete",
  { objects: Schema.Array(ObjectMismatch) }
) {}

/** A test run names a preview of the account that is not finalized. */
export class PreviewNotReady extends problemClass<PreviewNotReady>()(
  "PreviewNotReady",
  409,
  "preview_not_ready",
  "Preview not ready",
  {}
) {}

/** The `Idempotency-Key` was used for another request. */
export class IdempotencyConflict extends problemClass<IdempotencyConflict>()(
  "IdempotencyConflict",
  409,
  "idempotency_conflict",
  "Idempotency conflict",
  {}
) {}

/** The reservation has expired. */
export class ReservationExpired extends problemClass<ReservationExpired>()(
  "ReservationExpired",
  410,
  "reservation_expired",
  "Reservation expired",
  {}
) {}

/** A body or a declared size exceeds its limit. */
export class PayloadTooLarge extends problemClass<PayloadTooLarge>()(
  "PayloadTooLarge",
  413,
  "payload_too_large",
  "Payload too large",
  { issues: Schema.optionalKey(Schema.Array(Issue)) }
) {}

/** No byte of the requested range is in the object. */
export class RangeNotSatisfiable extends problemClass<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  416,
  "range_not_satisfiable",
  "Range not satisfiable",
  { sizeBytes: Schema.Int }
) {}

/**
 * The account has reached a limit. `policy` names the limit and `limit` is its number, per `windowSeconds` for a limit of requests.
 * The request can be retried after `retryAfterSeconds`.
 */
export class RateLimited extends problemClass<RateLimited>()("RateLimited", 429, "rate_limited", "Rate limited", {
  policy: Schema.String,
  limit: Schema.Int,
  windowSeconds: Schema.optionalKey(Schema.Int),
  retryAfterSeconds: Schema.Int
}) {}

/** The account would exceed a quota: the used amount, the limit, and when a monthly quota resets. */
export class QuotaExceeded extends problemClass<QuotaExceeded>()(
  "QuotaExceeded",
  403,
  "quota_exceeded",
  "Quota exceeded",
  {
    quota: Schema.Union([QuotaName, Schema.Literal("testsPerRepository")]),
    used: Schema.Finite,
    limit: Schema.Finite,
    resetsAt: Schema.optionalKey(Schema.String)
  }
) {}

/** A fault of the service itself. The answer contains no details. */
export class Internal extends problemClass<Internal>()("Internal", 500, "internal", "Internal error", {}) {}

/** An engine can't be reached at the moment; the request may be retried. */
export class Unavailable extends problemClass<Unavailable>()("Unavailable", 503, "unavailable", "Unavailable", {}) {
  static readonly default = new Unavailable({ detail: "A part of the service can't be reached just now; try again." })
}

/** The storage for uploads or metadata is full. Nothing was stored. */
export class InsufficientStorage extends problemClass<InsufficientStorage>()(
  "InsufficientStorage",
  507,
  "insufficient_storage",
  "Insufficient storage",
  {}
) {
  static readonly ofObjects = new InsufficientStorage({
    detail:
      "The disk that keeps uploads is full, so nothing was stored; once its operator has made room, send it again."
  })
  static readonly ofMetadata = new InsufficientStorage({
    detail:
      "The disk of the service's database is full, so nothing was stored; once its operator has made room, send it again."
  })
}

/** Every error of the service. */
export const Problem = Schema.Union([
  InvalidRequest,
  Unauthorized,
  UrlRefused,
  InsufficientScope,
  NotFound,
  UploadIncomplete,
  PreviewNotReady,
  IdempotencyConflict,
  ReservationExpired,
  PayloadTooLarge,
  RangeNotSatisfiable,
  RateLimited,
  QuotaExceeded,
  Internal,
  Unavailable,
  InsufficientStorage
])
export type Problem = typeof Problem.Type
