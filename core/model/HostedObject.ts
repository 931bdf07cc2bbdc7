import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { ContentHash, SizeBytes } from "./Artifact.ts"
import { ObjectKey } from "./ObjectKey.ts"

/**
 * An object that an account finalized, by its verified digest. Further uploads of the same bytes share it, so they are stored once
 * and needn't be sent again. There is one of each content, for as long as any upload has it. It is kept only of objects that are stored as they are, without gzip or another content encoding: then the same digest and size
 * mean the same bytes.
 *
 * @see docs/silences.md
 */
export const HostedObject = Schema.Struct({
  accountId: AccountId,
  contentHash: ContentHash,
  sizeBytes: SizeBytes,
  objectKey: ObjectKey
})
export type HostedObject = typeof HostedObject.Type

/** What the same bytes have in common, whoever uploads them and under whatever name and type. */
export type Content = Pick<HostedObject, "contentHash" | "sizeBytes">
