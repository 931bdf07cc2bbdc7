import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import type { Scope } from "../model/ApiKey.ts"
import { InsufficientScope, Unauthorized } from "../model/Problem.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Caller } from "../model/Principal.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import type { KeyOwner } from "../ports/KeyStore.ts"
import { isLive, isUseDue, missingScopes } from "../rules/keys.ts"
import { hashSecret, isKey } from "../rules/secrets.ts"

/** Which account a key belongs to, and whether it may do what it asks for. @see docs/interface.md#5 */
export class Authorization extends Context.Service<
  Authorization,
  {
    /**
     * The account and scopes of a key. `Unauthorized` when it is malformed, unknown, expired or revoked. A key whose checksum is
     * wrong is refused without a look-up. The key's use is written down, at most once a minute.
     */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Caller, Unauthorized | Unavailable>
    /** As `authenticate`, for a key that was presented earlier, such as when a URL was given out by its right. */
    readonly authenticateById: (id: Caller["keyId"]) => Effect.Effect<Caller, Unauthorized | Unavailable>
    /** As `authenticate`, for a key that is loaded already, such as together with a session. */
    readonly admit: (owner: KeyOwner) => Effect.Effect<Caller, Unauthorized>
    /** Demands every one of the scopes. `InsufficientScope` names the scopes that the request needs. */
    readonly require: (caller: Caller, scopes: ReadonlyArray<Scope>) => Effect.Effect<void, InsufficientScope>
  }
>()("slipway/core/service/Authorization") {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const refused = new Unauthorized({ detail: "The request needs a valid API key: Authorization: Bearer slip_…" })

      const admit = Effect.fn("Authorization.admit")(function* ({ account, key }: KeyOwner) {
        const now = yield* DateTime.now
        if (!isLive(key, now)) return yield* refused
        if (isUseDue(key, now)) {
          yield* Effect.catch(keys.touch(key.id, now), () => Effect.logWarning("A key's use could not be written down"))
        }
        return { account: { id: account.id, name: account.name }, keyId: key.id, scopes: key.scopes }
      })

      const resolve = (lookUp: ReturnType<typeof keys.findByHash>) =>
        Effect.flatMap(lookUp, Option.match({ onNone: () => Effect.fail(refused), onSome: admit }))

      return Authorization.of({
        authenticate: Effect.fn("Authorization.authenticate")(function* (credential) {
          const key = Redacted.value(credential)
          return isKey(key) ? yield* resolve(keys.findByHash(hashSecret(key))) : yield* refused
        }),
        authenticateById: Effect.fn("Authorization.authenticateById")(function* (id) {
          return yield* resolve(keys.findById(id))
        }),
        admit,
        require: (caller, scopes) =>
          missingScopes(caller.scopes, scopes).length === 0
            ? Effect.void
            : Effect.fail(
                new InsufficientScope({
                  detail: `This key lacks a scope; the request needs ${scopes.join(" and ")}.`,
                  requiredScopes: scopes
                })
              )
      })
    })
  )
}
