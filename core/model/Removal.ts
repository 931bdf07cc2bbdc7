import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** Ids sort by the time of the deletion (UUID version 7). */
export const RemovalId = Schema.String.pipe(Schema.brand("RemovalId"))
export type RemovalId = typeof RemovalId.Type

/**
 * The objects below a prefix, which ends with a slash, are to be removed: no record names them any more since `since`.
 *
 * Something may still be stored there for a while: by a PUT URL that was signed before, or by a finalize that was under way.
 * From `settledAt` on nothing is, so the removal is over when it was done at that instant or later. `dueAt` is when it is
 * to be done next.
 */
export const Removal = Schema.Struct({
  id: RemovalId,
  accountId: AccountId,
  prefix: Schema.String,
  since: Schema.DateTimeUtcFromString,
  settledAt: Schema.DateTimeUtcFromString,
  dueAt: Schema.DateTimeUtcFromString
})
export type Removal = typeof Removal.Type
