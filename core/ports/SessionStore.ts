import { Context, type DateTime, type Effect, type Option } from "effect"
import type { KeyId, Session, SessionId } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { KeyOwner } from "./KeyStore.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A session with its key, and the account of the key. */
export interface SessionOwner extends KeyOwner {
  readonly session: Session
}

/**
 * Stores the sessions of the viewer. Nothing is cached: the next call on any host of the same engine sees a change.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /**
     * Stores a new session. In the same commit, removes the session with the hash `replaces`, of any key, and the sessions of the
     * new session's key that have expired at `now` or before. The new session's id and hash are new, and its key is stored
     * already. An unknown hash removes nothing.
     */
    readonly begin: (change: {
      readonly session: Session
      readonly replaces?: string | undefined
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, WriteFailure>
    /**
     * The session whose secret has this hash, with the current state of its key and the key's account; `none` if there is no such
     * session. Includes expired sessions, and those of expired or revoked keys.
     */
    readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<SessionOwner>, Unavailable>
    /** The same by the session's id. */
    readonly findById: (id: SessionId) => Effect.Effect<Option.Option<SessionOwner>, Unavailable>
    /**
     * At most `limit` sessions of the key, including expired ones, newest first (by id): only those older than `after`, if given.
     */
    readonly list: (query: {
      readonly key: KeyId
      readonly after?: SessionId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Session>, Unavailable>
    /** Removes the session whose secret has this hash, of any key. Changes nothing if there is none. */
    readonly removeByHash: (secretHash: string) => Effect.Effect<void, WriteFailure>
    /** Removes a session of the key. Changes nothing if the key has no such session. */
    readonly remove: (key: KeyId, id: SessionId) => Effect.Effect<void, WriteFailure>
    /** Removes every session of the key. */
    readonly removeAll: (key: KeyId) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/SessionStore") {}
