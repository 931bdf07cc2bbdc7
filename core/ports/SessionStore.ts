import { Context, type DateTime, type Effect, type Option } from "effect"
import type { KeyId } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Session, SessionId } from "../model/Session.ts"
import type { KeyOwner } from "./KeyStore.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A session together with the key that it was begun with and the account that the key resolves to. */
export interface SessionOwner extends KeyOwner {
  readonly session: Session
}

/**
 * Keeps the sessions of the viewer. A change is seen by the next call, on every host of the same engine: nothing is
 * cached.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /**
     * Stores a new session, and removes the session that has the hash `replaces`, of whichever key it is, and the sessions
     * of the new one's key that have expired at `now` (at that very instant, too): all of it or nothing. The new session's
     * id and hash are new, and its key is there already. A hash that no session has removes nothing.
     */
    readonly begin: (change: {
      readonly session: Session
      readonly replaces?: string | undefined
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, WriteFailure>
    /**
     * Answers the session whose secret has this hash, with its key and the key's account, all as they are now; `none` when
     * there is no such session. It answers sessions that have expired too, and those of keys that are expired or revoked.
     */
    readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<SessionOwner>, Unavailable>
    /** The same by the session's id. */
    readonly findById: (id: SessionId) => Effect.Effect<Option.Option<SessionOwner>, Unavailable>
    /**
     * Answers the key's sessions, those that have expired too, newest first (by id): only those older than `after` where it
     * is given, and at most `limit`.
     */
    readonly list: (query: {
      readonly key: KeyId
      readonly after?: SessionId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Session>, Unavailable>
    /** Removes the session whose secret has this hash, of whichever key it is. Without such a session nothing changes. */
    readonly removeByHash: (secretHash: string) => Effect.Effect<void, WriteFailure>
    /** Removes a session of the key. When the key has no such session nothing changes. */
    readonly remove: (key: KeyId, id: SessionId) => Effect.Effect<void, WriteFailure>
    /** Removes every session of the key, and none of another. */
    readonly removeAll: (key: KeyId) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/SessionStore") {}
