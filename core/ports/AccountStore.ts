import { Context, Data } from "effect"
import type { Effect, Option } from "effect"
import type { Account } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"

/** An account of that name exists already. */
export class NameTaken extends Data.TaggedError("NameTaken") {}

/**
 * Keeps accounts.
 *
 * - `insert` stores a new account, or fails with `NameTaken` and stores nothing. Of two inserts of one name at once
 *   exactly one succeeds.
 * - `findByName` compares names byte for byte.
 * - `list` answers every account, ordered by name (by code unit).
 *
 * Every method fails with `Unavailable` when the engine can't be reached. It may or may not have done what it was asked:
 * an answer can get lost on its way.
 */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    readonly insert: (account: Account) => Effect.Effect<void, NameTaken | Unavailable>
    readonly findByName: (name: string) => Effect.Effect<Option.Option<Account>, Unavailable>
    readonly list: Effect.Effect<ReadonlyArray<Account>, Unavailable>
  }
>()("slipway/core/ports/AccountStore") {}
