import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ApiKey, KeyId } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A key together with the account it resolves to. */
export interface KeyOwner {
  readonly key: ApiKey
  readonly account: Account
}

/** Stores the records of API keys. Nothing is cached: the next call on any host of the same engine sees a change. */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Stores a new key, and `event` with it (`Outbox`). Its id and hash are new, and its account is stored already. */
    readonly insert: (key: ApiKey, event?: SlipwayEvent) => Effect.Effect<void, WriteFailure>
    /** The key with that SHA-256 (lower-case hex) and its account, also when it is expired or revoked. */
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<KeyOwner>, Unavailable>
    /** The key with that id and its account, also when it is expired or revoked. */
    readonly findById: (id: KeyId) => Effect.Effect<Option.Option<KeyOwner>, Unavailable>
    /** An account's keys, also expired and revoked ones, in the order of their ids: of their creation. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<ApiKey>, Unavailable>
    /**
     * Sets `revokedAt`, unless it is set: the first revocation counts, and only its `event` is stored, with it (`Outbox`).
     * Returns the key after the change.
     */
    readonly revoke: (
      id: KeyId,
      at: DateTime.Utc,
      event?: SlipwayEvent
    ) => Effect.Effect<Option.Option<ApiKey>, WriteFailure>
    /**
     * Atomically stores the replacement and `event` (`Outbox`), and sets the old key's `expiresAt`. Changes nothing and returns
     * `false` if the old key does not exist, is revoked, or has expired at `now`.
     */
    readonly rotate: (change: {
      readonly old: KeyId
      readonly oldExpiresAt: DateTime.Utc
      readonly now: DateTime.Utc
      readonly replacement: ApiKey
      readonly event?: SlipwayEvent | undefined
    }) => Effect.Effect<boolean, WriteFailure>
    /** Sets `lastUsedAt`, unless the stored value is later. */
    readonly touch: (id: KeyId, at: DateTime.Utc) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/KeyStore") {}
