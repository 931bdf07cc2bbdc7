import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { ContentHash, SizeBytes } from "./Artifact.ts"
import { ObjectKey } from "./ObjectKey.ts"

/**
 * An object that an account finalized, by its verified digest. Later uploads of the same bytes share it, so the bytes are stored
 * once and needn't be sent again. There is one for each content, as long as any upload has it. Objects that are gzip or have a
 * content encoding have none: for all others, the same digest and size mean the same bytes.
 *
 * @see docs/api-behavior.md
 */
export const HostedObject = Schema.Struct({
  accountId: AccountId,
  contentHash: ContentHash,
  sizeBytes: SizeBytes,
  objectKey: ObjectKey
})
export type HostedObject = typeof HostedObject.Type

/** The identity of bytes, independent of their account, name and type. */
export type Content = Pick<HostedObject, "contentHash" | "sizeBytes">
