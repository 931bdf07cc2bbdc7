import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { Name } from "./Text.ts"

/**
 * The permissions of a key: one scope per endpoint group; `delete`, which a deletion requires in addition to its group's; and
 * `account_admin`, with which an owner of the account administers it on its pages.
 *
 * @see docs/interface.md#5
 */
export const Scope = Schema.Literals(["builds", "preview_upload", "test_runs", "delete", "account_admin"])
export type Scope = typeof Scope.Type

export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/**
 * The record of an API key. The key itself is shown once and never stored: `hash` is its SHA-256, lower-case hex.
 */
export const ApiKey = Schema.Struct({
  id: KeyId,
  accountId: AccountId,
  name: Name,
  hash: Schema.String,
  scopes: Schema.NonEmptyArray(Scope),
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  lastUsedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type ApiKey = typeof ApiKey.Type
