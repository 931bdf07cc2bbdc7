import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { Resource } from "./Resource.ts"

/** Ids sort by the creation time of the link (UUID version 7). */
export const ShareLinkId = Schema.String.pipe(Schema.brand("ShareLinkId"))
export type ShareLinkId = typeof ShareLinkId.Type

/**
 * A link that opens one resource of an account, read-only, for people without a key. The secret in its URL is never
 * stored; `secretHash` is its SHA-256.
 */
export const ShareLink = Schema.Struct({
  id: ShareLinkId,
  accountId: AccountId,
  shared: Resource,
  secretHash: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type ShareLink = typeof ShareLink.Type
