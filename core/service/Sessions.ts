import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { AccountId } from "../model/Account.ts"
import { SessionId, type KeyCaller, type Session } from "../model/ApiKey.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { Unauthorized, type InvalidRequest, type Unavailable } from "../model/Problem.ts"
import { SessionStore, type SessionOwner } from "../ports/SessionStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { pageOf } from "../rules/pages.ts"
import { hashSecret, isSessionLive, sessionLife, storedSource } from "../rules/credentials.ts"
import { CurrentActor, makeAuditing } from "./auditing.ts"
import { actorOf, Authorization } from "./Authorization.ts"
import { inSpan } from "./telemetry.ts"

/** A caller that is signed in, with its session. */
export interface SessionCaller extends KeyCaller {
  readonly sessionId: SessionId
}

/** The key of a session, and its account. */
type SessionHolder = Pick<KeyCaller, "account" | "keyId">

/** A new session. This is the only time that its secret is shown. */
export interface BegunSession {
  readonly session: Session
  /** 32 random bytes in base64url, 43 characters. */
  readonly secret: string
}

/** Sessions of one key, newest first. `next` continues after the page; without it, this is the last page. */
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
     * any: that session ends, of any key. Expired sessions of the key are removed.
     */
    readonly begin: (
      caller: SessionHolder,
      how: {
        readonly from: Parameters<typeof storedSource>[0]
        readonly replaces?: string | undefined
        readonly life?: Duration.Duration | undefined
      }
    ) => Effect.Effect<BegunSession, InvalidRequest | WriteFailure>
    /** The caller whose session has this secret; `Unauthorized` if there is none, or if it has ended. */
    readonly resolve: (secret: string) => Effect.Effect<SessionCaller, Unauthorized | InvalidRequest | Unavailable>
    /** As `resolve`, by the id of the session, for what was opened through it earlier; and when the session or its key expires. */
    readonly check: (
      id: SessionId
    ) => Effect.Effect<SessionCaller & { readonly until: DateTime.Utc }, Unauthorized | InvalidRequest | Unavailable>
    /** The sessions of the caller's key that have not ended: up to 100, those older than `after` where it is given. */
    readonly list: (
      caller: Pick<KeyCaller, "keyId">,
      after?: SessionId
    ) => Effect.Effect<SessionPage, InvalidRequest | Unavailable>
    /** Ends the session of a secret. A text that is no session's secret ends nothing. */
    readonly signOut: (secret: string) => Effect.Effect<void, InvalidRequest | WriteFailure>
    /** Ends a session of the caller's key. An id that no session of the key has, or no longer has, ends nothing. */
    readonly end: (caller: SessionHolder, id: SessionId) => Effect.Effect<void, InvalidRequest | WriteFailure>
    /** Ends every session of the caller's key, and none of another key. */
    readonly endAll: (caller: SessionHolder) => Effect.Effect<void, InvalidRequest | WriteFailure>
  }
>()("slipway/core/service/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* SessionStore
      const authorization = yield* Authorization
      const random = yield* SecureRandom
      const auditing = yield* makeAuditing
      const ended = new Unauthorized({ detail: "This session has ended; sign in again." })

      const hashOf = (secret: string): string | undefined => (secretForm.test(secret) ? hashSecret(secret) : undefined)

      const admit = Effect.fnUntraced(function* (found: Option.Option<SessionOwner>) {
        const owner = Option.getOrUndefined(found)
        if (owner === undefined || !isSessionLive(owner.session, yield* DateTime.now)) return yield* ended
        const { key, session } = owner
        const until = key.expiresAt === undefined ? session.expiresAt : DateTime.min(session.expiresAt, key.expiresAt)
        return { ...(yield* authorization.admit(owner)), sessionId: session.id, until }
      })

      const ending = <A, E>(
        accountId: AccountId,
        subject: string,
        change: Effect.Effect<A, E>,
        action: "session.ended" | "sessions.ended" = "session.ended"
      ) => Effect.flatMap(DateTime.now, (at) => auditing({ action, accountId, at, subject }, change))

      return Sessions.of({
        begin: Effect.fnUntraced(function* (caller, { from, life = sessionLife, replaces = "" }) {
          const secret = Base64Url.encode(yield* random.randomBytes(32))
          const now = yield* DateTime.now
          const session: Session = {
            id: SessionId.make(yield* random.uuidV7()),
            keyId: caller.keyId,
            secretHash: hashSecret(secret),
            createdAt: now,
            expiresAt: DateTime.addDuration(now, Duration.min(life, sessionLife)),
            ...storedSource(from)
          }
          const { address } = session
          yield* auditing(
            { action: "session.began", accountId: caller.account.id, at: now, subject: `session:${session.id}` },
            store.begin({ session, replaces: hashOf(replaces), now })
          ).pipe(Effect.provideService(CurrentActor, { actor: actorOf(caller), ...withoutUndefined({ address }) }))
          return { session, secret }
        }, inSpan("Sessions.begin")),
        resolve: Effect.fnUntraced(function* (secret) {
          const hash = hashOf(secret)
          return hash === undefined ? yield* ended : yield* Effect.flatMap(store.findByHash(hash), admit)
        }, inSpan("Sessions.resolve")),
        check: Effect.fnUntraced(function* (id) {
          return yield* Effect.flatMap(store.findById(id), admit)
        }, inSpan("Sessions.check")),
        list: Effect.fnUntraced(function* ({ keyId }, after) {
          const rows = yield* store.list({ key: keyId, after, limit: sessionsOnPage + 1 })
          const now = yield* DateTime.now
          // Sessions of a key live equally long, so all that are older than an expired one have expired too.
          const live = rows.filter((session) => isSessionLive(session, now))
          const { last, page: sessions } = pageOf(live, sessionsOnPage)
          return last === undefined ? { sessions } : { sessions, next: last.id }
        }, inSpan("Sessions.list")),
        signOut: Effect.fnUntraced(function* (secret) {
          const hash = hashOf(secret)
          const stored = hash === undefined ? undefined : Option.getOrUndefined(yield* store.findByHash(hash))
          if (hash === undefined || stored === undefined) return
          const { account, key, session } = stored
          yield* ending(account.id, `session:${session.id}`, store.removeByHash(hash)).pipe(
            Effect.provideService(CurrentActor, {
              ...(yield* CurrentActor),
              actor: { session: session.id, key: key.id }
            })
          )
        }, inSpan("Sessions.signOut")),
        end: Effect.fnUntraced(function* ({ account, keyId }, id) {
          yield* ending(account.id, `session:${id}`, store.remove(keyId, id))
        }, inSpan("Sessions.end")),
        endAll: Effect.fnUntraced(function* ({ account, keyId }) {
          yield* ending(account.id, `key:${keyId}`, store.removeAll(keyId), "sessions.ended")
        }, inSpan("Sessions.endAll"))
      })
    })
  )
}
