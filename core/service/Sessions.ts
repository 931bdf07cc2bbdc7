import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { KeyCaller } from "../model/Principal.ts"
import { Unauthorized, type Unavailable } from "../model/Problem.ts"
import { SessionId, type Session } from "../model/Session.ts"
import { SessionStore, type SessionOwner } from "../ports/SessionStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { pageOf } from "../rules/pages.ts"
import { hashSecret } from "../rules/secrets.ts"
import { isSessionLive, keptSource, sessionLife } from "../rules/sessions.ts"
import { Authorization } from "./Authorization.ts"

/** A caller that is signed in: what its key may do, and the session by which it asks. */
export interface SessionCaller extends KeyCaller {
  readonly sessionId: SessionId
}

/** A new session. This is the only time that its secret is shown. */
export interface BegunSession {
  readonly session: Session
  /** 32 random bytes in base64url, 43 characters. */
  readonly secret: string
}

/** Sessions of one key, newest first. `next` continues behind the last of them; without it there are no more. */
export interface SessionPage {
  readonly sessions: ReadonlyArray<Session>
  readonly next?: SessionId
}

const secretForm = /^[\w-]{43}$/
const sessionsOnPage = 100

/**
 * Sessions of people who signed in to the viewer with a key. A session ends when it is signed out or ended, when its key
 * is revoked or expires, and 7 days after it began: from the next request on, on every host.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Begins a session of the caller's key for `life`: 7 days if that is absent or longer. `from` is where the request came
     * from; control characters are removed and long texts cut. `replaces` is the session secret that the browser sent, if
     * any: that session ends, whosever it is. Expired sessions of the key are removed.
     */
    readonly begin: (
      caller: Pick<KeyCaller, "keyId">,
      how: {
        readonly from: Parameters<typeof keptSource>[0]
        readonly replaces?: string | undefined
        readonly life?: Duration.Duration | undefined
      }
    ) => Effect.Effect<BegunSession, WriteFailure>
    /** The caller whose session has this secret; `Unauthorized` if there is none, or if it has ended. */
    readonly resolve: (secret: string) => Effect.Effect<SessionCaller, Unauthorized | Unavailable>
    /** As `resolve`, by the id of the session, for what was opened through it earlier. */
    readonly check: (id: SessionId) => Effect.Effect<SessionCaller, Unauthorized | Unavailable>
    /** The sessions of the caller's key that have not ended: up to 100, those older than `after` where it is given. */
    readonly list: (caller: Pick<KeyCaller, "keyId">, after?: SessionId) => Effect.Effect<SessionPage, Unavailable>
    /** Ends the session of a secret. A text that is no session's secret ends nothing. */
    readonly signOut: (secret: string) => Effect.Effect<void, WriteFailure>
    /** Ends a session of the caller's key. An id that no session of the key has, or no longer has, ends nothing. */
    readonly end: (caller: Pick<KeyCaller, "keyId">, id: SessionId) => Effect.Effect<void, WriteFailure>
    /** Ends every session of the caller's key, and none of another key. */
    readonly endAll: (caller: Pick<KeyCaller, "keyId">) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/service/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* SessionStore
      const authorization = yield* Authorization
      const random = yield* SecureRandom
      const ended = new Unauthorized({ detail: "This session has ended; sign in again." })

      const hashOf = (secret: string): string | undefined => (secretForm.test(secret) ? hashSecret(secret) : undefined)

      const admit = Effect.fnUntraced(function* (found: Option.Option<SessionOwner>) {
        const owner = Option.getOrUndefined(found)
        if (owner === undefined || !isSessionLive(owner.session, yield* DateTime.now)) return yield* ended
        return { ...(yield* authorization.admit(owner)), sessionId: owner.session.id }
      })

      return Sessions.of({
        begin: Effect.fn("Sessions.begin")(function* ({ keyId }, { from, life = sessionLife, replaces = "" }) {
          const secret = Base64Url.encode(yield* random.randomBytes(32))
          const now = yield* DateTime.now
          const session: Session = {
            id: SessionId.make(yield* random.uuidV7()),
            keyId,
            secretHash: hashSecret(secret),
            createdAt: now,
            expiresAt: DateTime.addDuration(now, Duration.min(life, sessionLife)),
            ...keptSource(from)
          }
          yield* store.begin({ session, replaces: hashOf(replaces), now })
          return { session, secret }
        }),
        resolve: Effect.fn("Sessions.resolve")(function* (secret) {
          const hash = hashOf(secret)
          return hash === undefined ? yield* ended : yield* Effect.flatMap(store.findByHash(hash), admit)
        }),
        check: Effect.fn("Sessions.check")(function* (id) {
          return yield* Effect.flatMap(store.findById(id), admit)
        }),
        list: Effect.fn("Sessions.list")(function* ({ keyId }, after) {
          const found = yield* store.list({ key: keyId, after, limit: sessionsOnPage + 1 })
          const now = yield* DateTime.now
          // Sessions of a key live equally long, so all that are older than an expired one have expired too.
          const live = found.filter((session) => isSessionLive(session, now))
          const { last, page: sessions } = pageOf(live, sessionsOnPage)
          return last === undefined ? { sessions } : { sessions, next: last.id }
        }),
        signOut: Effect.fn("Sessions.signOut")(function* (secret) {
          const hash = hashOf(secret)
          if (hash !== undefined) yield* store.removeByHash(hash)
        }),
        end: Effect.fn("Sessions.end")(function* ({ keyId }, id) {
          yield* store.remove(keyId, id)
        }),
        endAll: Effect.fn("Sessions.endAll")(function* ({ keyId }) {
          yield* store.removeAll(keyId)
        })
      })
    })
  )
}
