import { DateTime, Duration } from "effect"
import type { ApiKey, Scope } from "../model/ApiKey.ts"

/** Whether a key is valid at `now`: neither revoked nor expired. It is expired from the instant `expiresAt` on. */
export const isLive = (key: Pick<ApiKey, "expiresAt" | "revokedAt">, now: DateTime.Utc): boolean =>
  key.revokedAt === undefined && (key.expiresAt === undefined || DateTime.isLessThan(now, key.expiresAt))

/** Whether to store that a key is used now: at most once a minute. */
export const isUseDue = (key: Pick<ApiKey, "lastUsedAt">, now: DateTime.Utc): boolean =>
  key.lastUsedAt === undefined ||
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(key.lastUsedAt, Duration.minutes(1)))

/** The scopes of `required` that `granted` lacks. */
export const missingScopes = (granted: ReadonlyArray<Scope>, required: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  required.filter((scope) => !granted.includes(scope))

/**
 * When the old key of a rotation ends: after the overlap, or earlier if it was to expire before.
 */
export const rotatedExpiry = (
  key: Pick<ApiKey, "expiresAt">,
  now: DateTime.Utc,
  overlap: Duration.Duration
): DateTime.Utc => {
  const end = DateTime.addDuration(now, overlap)
  return key.expiresAt !== undefined && DateTime.isLessThan(key.expiresAt, end) ? key.expiresAt : end
}
