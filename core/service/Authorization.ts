import { Context, DateTime, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Scope, type Caller, type ExternalIdentity, type KeyCaller, type SessionId } from "../model/ApiKey.ts"
import type { AuditActor } from "../model/AuditEntry.ts"
import { InsufficientScope, NotFound, Unauthorized, type InvalidRequest, type Unavailable } from "../model/Problem.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { KeyStore, type KeyOwner } from "../ports/KeyStore.ts"
import { hashSecret, isKey, isLive, isUseDue, missingScopes } from "../rules/credentials.ts"
import { repositoryAccess } from "../rules/repositoryAccess.ts"
import { CurrentActor, makeAuditing } from "./auditing.ts"
import { inSpan } from "./telemetry.ts"

/** The actor of a caller in the audit log: its session, its key, or the identity from the embedder. */
export const actorOf = ({
  account,
  keyId,
  sessionId
}: Pick<Caller, "account" | "keyId"> & { readonly sessionId?: SessionId }): AuditActor => {
  if (keyId === undefined) return { embedder: account.name }
  return sessionId === undefined ? { key: keyId } : { session: sessionId, key: keyId }
}

/** The found value, or `NotFound`. */
export const orNotFound = <A>(found: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(NotFound.default)

/**
 * The linked repository, or `NotFound` with the check to make. The text has only what the request has, so it is the same for the
 * repository of another account and for one that nobody linked.
 */
export const orNotLinked = <A>(
  found: Option.Option<A>,
  { owner, repo }: { readonly owner: string; readonly repo: string }
): Effect.Effect<A, NotFound> =>
  Effect.mapError(
    Effect.fromOption(found),
    () =>
      new NotFound({
        detail: `Is ${owner}/${repo} linked to this account? Check the name, or ask the operator: slipway repo link`
      })
  )

/** How often the audit log gets an entry about a key that is refused, and of how many keys a host remembers that. */
const auditInterval = Duration.hours(1)
const maxAudited = 10_000

const isScope = Schema.is(Scope)

/** Authenticates keys and checks their scopes. @see docs/interface.md#5 */
export class Authorization extends Context.Service<
  Authorization,
  {
    /**
     * The account and scopes of a key. `Unauthorized` when it is malformed, unknown, expired or revoked. A key whose checksum is
     * wrong is refused without a look-up. The use of the key is recorded at most once a minute. A revoked or expired key is written to
     * its account's audit log, at most once an hour on each host.
     */
    readonly authenticate: (
      key: Redacted.Redacted
    ) => Effect.Effect<KeyCaller, Unauthorized | InvalidRequest | Unavailable>
    /** Like `authenticate`, for a key that was presented earlier, such as to create a URL. */
    readonly authenticateById: (
      id: KeyCaller["keyId"]
    ) => Effect.Effect<KeyCaller, Unauthorized | InvalidRequest | Unavailable>
    /** Like `authenticate`, for a key that is loaded already, such as with its session. */
    readonly admit: (owner: KeyOwner) => Effect.Effect<KeyCaller, Unauthorized | InvalidRequest>
    /** The caller that the host authenticated itself. `Unauthorized` if there is no account of that name. */
    readonly admitExternal: (
      who: ExternalIdentity
    ) => Effect.Effect<Caller, Unauthorized | InvalidRequest | Unavailable>
    /** Requires all of the scopes. `InsufficientScope` names the scopes that the request needs. */
    readonly require: (
      caller: Caller,
      scopes: ReadonlyArray<Scope>
    ) => Effect.Effect<void, InvalidRequest | InsufficientScope>
  }
>()("slipway/core/service/Authorization") {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* KeyStore
      const auditing = yield* makeAuditing
      const refused = new Unauthorized({ detail: "The request needs a valid API key: Authorization: Bearer slip_…" })

      // Every request comes by here, so these two are without a generator and a span: they are half of what is spent here.
      const admit = ({ account, key }: KeyOwner): Effect.Effect<KeyCaller, Unauthorized> =>
        Effect.flatMap(DateTime.now, (now) => {
          if (!isLive(key, now)) return Effect.fail(refused)
          const caller = { account: { id: account.id, name: account.name }, keyId: key.id, scopes: key.scopes }
          if (!isUseDue(key, now)) return Effect.succeed(caller)
          const warn = () => Effect.logWarning("A key's use could not be written down")
          return Effect.as(Effect.catch(keys.touch(key.id, now), warn), caller)
        })

      // Otherwise anyone with a revoked key could fill the audit log.
      const auditedAt = new Map<string, DateTime.Utc>()
      const auditRefusal = Effect.fnUntraced(function* ({ account, key }: KeyOwner) {
        const now = yield* DateTime.now
        const last = auditedAt.get(key.id)
        if (last !== undefined && DateTime.isLessThan(now, DateTime.addDuration(last, auditInterval))) return
        if (auditedAt.size >= maxAudited) auditedAt.clear()
        auditedAt.set(key.id, now)
        const done = {
          action: "key.refused",
          accountId: account.id,
          at: now,
          subject: `key:${key.id}`,
          detail: `${key.name}: ${key.revokedAt === undefined ? "expired" : "revoked"}`
        } as const
        yield* auditing(done, Effect.void).pipe(
          Effect.provideService(CurrentActor, { ...(yield* CurrentActor), actor: { key: key.id } }),
          Effect.catch(() => Effect.logWarning("The use of a revoked or expired key could not be written down"))
        )
      })

      const resolve = (lookUp: ReturnType<typeof keys.findByHash>) =>
        Effect.flatMap(lookUp, Option.match({ onNone: () => Effect.fail(refused), onSome: admit }))

      return Authorization.of({
        authenticate: (credential) => {
          const key = Redacted.value(credential)
          if (!isKey(key)) return Effect.fail(refused)
          const caller = Effect.flatMap(keys.findByHash(hashSecret(key)), (found) => {
            const owner = Option.getOrUndefined(found)
            if (owner === undefined) return Effect.fail(refused)
            return Effect.tapError(admit(owner), () => auditRefusal(owner))
          })
          return inSpan("Authorization.authenticate")(caller)
        },
        authenticateById: (id) => inSpan("Authorization.authenticateById")(resolve(keys.findById(id))),
        admit: (owner) => inSpan("Authorization.admit")(admit(owner)),
        admitExternal: Effect.fnUntraced(function* ({ account: name, repositories, scopes, writableRepositories }) {
          const account = Option.getOrUndefined(yield* accounts.findByName(name))
          if (account === undefined) {
            return yield* new Unauthorized({
              detail: `There is no account named ${name}; it has to be created first.`
            })
          }
          const known = { id: account.id, name: account.name }
          const granted = scopes.filter(isScope)
          if (repositories === undefined && writableRepositories === undefined)
            return { account: known, scopes: granted }
          const access = repositoryAccess(repositories ?? (() => true), writableRepositories)
          return {
            account: { ...known, repositories: access },
            scopes: granted.filter((scope) => scope !== "account_admin")
          }
        }, inSpan("Authorization.admitExternal")),
        require: (caller, scopes) =>
          missingScopes(caller.scopes, scopes).length === 0
            ? Effect.void
            : Effect.fail(
                new InsufficientScope({
                  detail: `A scope is missing; the request needs ${scopes.join(" and ")}.`,
                  requiredScopes: scopes
                })
              )
      })
    })
  )
}
