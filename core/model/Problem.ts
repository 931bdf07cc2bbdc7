/**
 * Every way in which the service refuses, as RFC 9457 problems. Each is a tagged error with a `code`; `requestId` is
 * filled in where the answer leaves the service.
 *
 * @see docs/interface.md#7
 */
import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { Scope } from "./ApiKey.ts"

/** One misfit of a request: `path` names the field, dots between segments (`files.0.path`). */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

const type = <const Code extends string>(code: Code) => `urn:slipway:problem:${code}` as const

const fields = <const Code extends string>(code: Code) => ({
  code: Schema.tag(code),
  detail: Schema.String,
  requestId: Schema.optionalKey(Schema.String)
})

/** The request does not fit its schema; every misfit is listed. */
export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(
  "InvalidRequest",
  {
    type: type("invalid_request"),
    status: 400,
    title: "Invalid request"
  },
  { ...fields("invalid_request"), issues: Schema.Array(Issue) }
) {}

/** No key, or one that is malformed, unknown, expired or revoked. */
export class Unauthorized extends HttpApiError.Problem<Unauthorized>()(
  "Unauthorized",
  {
    type: type("unauthorized"),
    status: 401,
    title: "Unauthorized"
  },
  fields("unauthorized")
) {}

/** A presigned URL was tampered with, is past its time, or was used for another request than it was signed for. */
export class UrlRefused extends HttpApiError.Problem<UrlRefused>()(
  "UrlRefused",
  {
    type: type("url_refused"),
    status: 403,
    title: "Presigned URL refused"
  },
  fields("url_refused")
) {}

/** The key lacks a scope that the request needs. */
export class InsufficientScope extends HttpApiError.Problem<InsufficientScope>()(
  "InsufficientScope",
  {
    type: type("insufficient_scope"),
    status: 403,
    title: "Insufficient scope"
  },
  { ...fields("insufficient_scope"), requiredScopes: Schema.Array(Scope) }
) {}

/** No such thing, or not this account's: the two are never told apart. */
export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  {
    type: type("not_found"),
    status: 404,
    title: "Not found"
  },
  fields("not_found")
) {
  static readonly answer = new NotFound({ detail: "There is no such thing here, or it is not this account's." })
}

/** The path is there, but not for this method; `allow` lists those it has. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  {
    type: type("method_not_allowed"),
    status: 405,
    title: "Method not allowed"
  },
  { ...fields("method_not_allowed"), allow: Schema.Array(Schema.String) }
) {}

export class NotAcceptable extends HttpApiError.Problem<NotAcceptable>()(
  "NotAcceptable",
  {
    type: type("not_acceptable"),
    status: 406,
    title: "Not acceptable"
  },
  fields("not_acceptable")
) {}

export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  {
    type: type("unsupported_media_type"),
    status: 415,
    title: "Unsupported media type"
  },
  fields("unsupported_media_type")
) {}

/** Why an object that was declared does not stand where it should. */
export const ObjectMisfit = Schema.Struct({
  objectKey: Schema.String,
  path: Schema.optionalKey(Schema.String),
  reason: Schema.Literals(["missing", "size_mismatch", "content_type_mismatch", "digest_mismatch"]),
  expected: Schema.Union([Schema.String, Schema.Finite]),
  actual: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))
})
export type ObjectMisfit = typeof ObjectMisfit.Type

/** Finalize found objects missing or other than declared. The reservation stays open. */
export class UploadIncomplete extends HttpApiError.Problem<UploadIncomplete>()(
  "UploadIncomplete",
  {
    type: type("upload_incomplete"),
    status: 409,
    title: "Upload incomplete"
  },
  { ...fields("upload_incomplete"), objects: Schema.Array(ObjectMisfit) }
) {}

/** A test run names a preview of the account that is not finalized. */
export class PreviewNotReady extends HttpApiError.Problem<PreviewNotReady>()(
  "PreviewNotReady",
  {
    type: type("preview_not_ready"),
    status: 409,
    title: "Preview not ready"
  },
  fields("preview_not_ready")
) {}

/** The `Idempotency-Key` was used for another request. */
export class IdempotencyConflict extends HttpApiError.Problem<IdempotencyConflict>()(
  "IdempotencyConflict",
  {
    type: type("idempotency_conflict"),
    status: 409,
    title: "Idempotency conflict"
  },
  fields("idempotency_conflict")
) {}

/** The reservation's life is over. */
export class ReservationExpired extends HttpApiError.Problem<ReservationExpired>()(
  "ReservationExpired",
  {
    type: type("reservation_expired"),
    status: 410,
    title: "Reservation expired"
  },
  fields("reservation_expired")
) {}

/** A body, or a declared size, over its limit. */
export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(
  "PayloadTooLarge",
  {
    type: type("payload_too_large"),
    status: 413,
    title: "Payload too large"
  },
  { ...fields("payload_too_large"), issues: Schema.optionalKey(Schema.Array(Issue)) }
) {}

/** Not one byte of the range asked for is in the object. */
export class RangeNotSatisfiable extends HttpApiError.Problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  {
    type: type("range_not_satisfiable"),
    status: 416,
    title: "Range not satisfiable"
  },
  { ...fields("range_not_satisfiable"), sizeBytes: Schema.Int }
) {}

/**
 * The account has as many of something as it may have. `policy` names the bound and `limit` is its number;
 * `retryAfterSeconds` says when there will be room again, by itself and at the latest.
 */
export class RateLimited extends HttpApiError.Problem<RateLimited>()(
  "RateLimited",
  {
    type: type("rate_limited"),
    status: 429,
    title: "Rate limited"
  },
  {
    ...fields("rate_limited"),
    policy: Schema.String,
    limit: Schema.Int,
    retryAfterSeconds: Schema.Int
  }
) {}

/** A fault of the service itself; nothing about it is told. */
export class Internal extends HttpApiError.Problem<Internal>()(
  "Internal",
  {
    type: type("internal"),
    status: 500,
    title: "Internal error"
  },
  fields("internal")
) {}

/** An engine can't be reached just now; the request may be sent again. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  {
    type: type("unavailable"),
    status: 503,
    title: "Unavailable"
  },
  fields("unavailable")
) {
  static readonly answer = new Unavailable({ detail: "A part of the service can't be reached just now; try again." })
}

/** There is no room left where objects are kept; what was sent was not stored. */
export class InsufficientStorage extends HttpApiError.Problem<InsufficientStorage>()(
  "InsufficientStorage",
  {
    type: type("insufficient_storage"),
    status: 507,
    title: "Insufficient storage"
  },
  fields("insufficient_storage")
) {
  static readonly answer = new InsufficientStorage({
    detail:
      "The disk that keeps uploads is full, so nothing was stored; once its operator has made room, send it again."
  })
}

/** Every refusal of the service. */
export const Problem = Schema.Union([
  InvalidRequest,
  Unauthorized,
  UrlRefused,
  InsufficientScope,
  NotFound,
  MethodNotAllowed,
  NotAcceptable,
  UnsupportedMediaType,
  UploadIncomplete,
  PreviewNotReady,
  IdempotencyConflict,
  ReservationExpired,
  PayloadTooLarge,
  RangeNotSatisfiable,
  RateLimited,
  Internal,
  Unavailable,
  InsufficientStorage
])
export type Problem = typeof Problem.Type
