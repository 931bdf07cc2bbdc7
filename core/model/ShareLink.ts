import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { ShareId } from "./Preview.ts"
import { TestRunId } from "./TestRun.ts"

/** Ids sort by the time at which the link was made (UUID version 7). */
export const ShareLinkId = Schema.String.pipe(Schema.brand("ShareLinkId"))
export type ShareLinkId = typeof ShareLinkId.Type

/** What a share link opens: one preview, or one test run with what its preview recorded. */
export const Shared = Schema.Union([Schema.Struct({ preview: ShareId }), Schema.Struct({ run: TestRunId })])
export type Shared = typeof Shared.Type

/**
 * A link that opens one thing of an account, read-only, for people without a key. The secret in its URL is never
 * stored; `secretHash` is its SHA-256.
 */
export const ShareLink = Schema.Struct({
  id: ShareLinkId,
  accountId: AccountId,
  shared: Shared,
  secretHash: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type ShareLink = typeof ShareLink.Type
