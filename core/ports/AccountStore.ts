import { Context, Data, type Effect, type Option } from "effect"
import type { Account } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Resource } from "../model/Resource.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** An account of that name exists already. */
export class NameTaken extends Data.TaggedError("NameTaken") {}

/**
 * Stores accounts.
 *
 * A method that fails with `Unavailable` could not reach its engine. The change may or may not have been committed, because the
 * engine's answer can be lost.
 */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Stores a new account, or fails with `NameTaken` and stores nothing. Of two inserts of one name, one succeeds. */
    readonly insert: (account: Account) => Effect.Effect<void, NameTaken | WriteFailure>
    /** The account of that name, compared byte for byte. */
    readonly findByName: (name: string) => Effect.Effect<Option.Option<Account>, Unavailable>
    /** The account of a build, preview or run, whether its repository is linked or not; `none` while the account is being erased. */
    readonly findOwner: (resource: Resource) => Effect.Effect<Option.Option<Account>, Unavailable>
    /** Every account, ordered by name (by code unit). */
    readonly list: Effect.Effect<ReadonlyArray<Account>, Unavailable>
  }
>()("slipway/core/ports/AccountStore") {}
