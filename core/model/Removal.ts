import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** Ids sort by the time of the deletion (UUID version 7). */
export const RemovalId = Schema.String.pipe(Schema.brand("RemovalId"))
export type RemovalId = typeof RemovalId.Type

/**
 * A task to remove the objects below a prefix that ends with a slash. No record refers to them since `since`.
 *
 * New objects may still be stored there for a while: by a PUT URL that was signed earlier, or by a running finalize. From
 * `settledAt` on this is impossible, so the removal is complete when it was done at `settledAt` or later. `dueAt` is the time of
 * the next attempt.
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
