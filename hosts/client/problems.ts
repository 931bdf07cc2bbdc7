/**
 * Refusals of the service: RFC 9457 problems, distinguished by `code`. `testing/sameTypes.ts` holds them to the
 * server's.
 */

/** One mismatch of a request: `path` names the field, dots between segments (`files.0.path`). */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** An object that is missing, or is other than declared. */
export interface ObjectMismatch {
  readonly objectKey: string
  readonly path?: string
  readonly reason: "missing" | "size_mismatch" | "content_type_mismatch" | "digest_mismatch"
  readonly expected: string | number
  readonly actual: string | number | null
}

interface ProblemOf<Code extends string, Status extends number> {
  readonly type: `urn:slipway:problem:${Code}`
  readonly status?: Status
  readonly title?: string
  readonly instance?: string
  readonly code: Code
  readonly detail: string
  readonly requestId?: string
}

/** A request that does not fit; every mismatch is listed. */
export interface InvalidRequest extends ProblemOf<"invalid_request", 400> {
  readonly issues: ReadonlyArray<Issue>
}

/** A key that lacks a scope. */
export interface InsufficientScope extends ProblemOf<"insufficient_scope", 403> {
  readonly requiredScopes: ReadonlyArray<
    "builds" | "preview_upload" | "test_runs" | "quarantine" | "delete" | "account_admin"
  >
}

/** A path that is there, but not for this method. */
export interface MethodNotAllowed extends ProblemOf<"method_not_allowed", 405> {
  readonly allow: ReadonlyArray<string>
}

/** A finalize that found objects missing or other than declared. */
export interface UploadIncomplete extends ProblemOf<"upload_incomplete", 409> {
  readonly objects: ReadonlyArray<ObjectMismatch>
}

/** A body or a declared size over its limit. */
export interface PayloadTooLarge extends ProblemOf<"payload_too_large", 413> {
  readonly issues?: ReadonlyArray<Issue>
}

/** A range that no byte of an object is in. */
export interface RangeNotSatisfiable extends ProblemOf<"range_not_satisfiable", 416> {
  readonly sizeBytes: number
}

/** As many of something as an account may have, or more requests in `windowSeconds` than a key, account or address may make. */
export interface RateLimited extends ProblemOf<"rate_limited", 429> {
  readonly policy: string
  readonly limit: number
  readonly windowSeconds?: number
  readonly retryAfterSeconds: number
}

/** An account that would exceed a quota: its usage, its limit, and when a monthly quota resets. */
export interface QuotaExceeded extends ProblemOf<"quota_exceeded", 403> {
  readonly quota: "bytesStored" | "bytesPerMonth" | "previewsPerMonth" | "runsPerMonth" | "testsPerRepository"
  readonly used: number
  readonly limit: number
  readonly resetsAt?: string
}

/** Every refusal of the service. @see docs/interface.md#7 */
export type Problem =
  | InvalidRequest
  | ProblemOf<"unauthorized", 401>
  | ProblemOf<"url_refused", 403>
  | InsufficientScope
  | ProblemOf<"not_found", 404>
  | MethodNotAllowed
  | ProblemOf<"not_acceptable", 406>
  | ProblemOf<"request_timeout", 408>
  | ProblemOf<"unsupported_media_type", 415>
  | UploadIncomplete
  | ProblemOf<"preview_not_ready", 409>
  | ProblemOf<"idempotency_conflict", 409>
  | ProblemOf<"reservation_expired", 410>
  | PayloadTooLarge
  | RangeNotSatisfiable
  | RateLimited
  | QuotaExceeded
  | ProblemOf<"internal", 500>
  | ProblemOf<"unavailable", 503>
  | ProblemOf<"insufficient_storage", 507>
