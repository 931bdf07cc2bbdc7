import { Context } from "effect"
import type { DateTime, Effect, Option } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ApiKey, KeyId } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"

/** A key together with the account it resolves to. */
export interface KeyOwner {
  readonly key: ApiKey
  readonly account: Account
}

/**
 * Keeps the records of API keys. A change is seen by the next call, on every host of the same engine: nothing is
 * cached.
 *
 * - `insert` stores a new key. Its id and hash are new; its account is there already.
 * - `findByHash` and `findById` answer the key with its account, whether or not it is expired or revoked.
 * - `list` answers an account's keys in the order of their ids (that is, of creation).
 * - `revoke` sets `revokedAt`, unless it is set already: the first revocation stands. Answers the key as it is then.
 * - `rotate` stores the new key and sets the old one's `expiresAt`, both or neither. It changes nothing and answers
 *   `false` when the old key doesn't exist, is revoked, or has expired at `now`.
 * - `touch` sets `lastUsedAt`, unless it is later already.
 */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    readonly insert: (key: ApiKey) => Effect.Effect<void, Unavailable>
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<KeyOwner>, Unavailable>
    readonly findById: (id: KeyId) => Effect.Effect<Option.Option<KeyOwner>, Unavailable>
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<ApiKey>, Unavailable>
    readonly revoke: (id: KeyId, at: DateTime.Utc) => Effect.Effect<Option.Option<ApiKey>, Unavailable>
    readonly rotate: (change: {
      readonly old: KeyId
      readonly oldExpiresAt: DateTime.Utc
      readonly now: DateTime.Utc
      readonly replacement: ApiKey
    }) => Effect.Effect<boolean, Unavailable>
    readonly touch: (id: KeyId, at: DateTime.Utc) => Effect.Effect<void, Unavailable>
  }
>()("slipway/core/ports/KeyStore") {}
