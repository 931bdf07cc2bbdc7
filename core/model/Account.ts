import { Schema } from "effect"
import { Name } from "./Text.ts"

export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The owner of repositories, keys and uploads. `name` is unique. */
export const Account = Schema.Struct({
  id: AccountId,
  name: Name,
  createdAt: Schema.DateTimeUtcFromString
})
export type Account = typeof Account.Type
