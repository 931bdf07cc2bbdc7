import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import type { Scope } from "../model/ApiKey.ts"
import { InsufficientScope, Unauthorized } from "../model/Problem.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Caller } from "../model/Principal.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { isLive, isUseDue, missingScopes } from "../rules/keys.ts"
import { hashSecret, isKey } from "../rules/secrets.ts"

/**
 * Who is asking, and whether they may.
 *
 * - `authenticate` resolves a key to its account; `Unauthorized` when it is malformed, unknown, expired or revoked. A
 *   key whose checksum is wrong is refused without a look-up. Its use is written down, at most once a minute.
 * - `authenticateById` does the same for a key that was shown to be held earlier, such as a session's.
 * - `require` demands every one of the scopes; `InsufficientScope` names those the request needs.
 *
 * @see interface §5
 */
export class Authorization extends Context.Service<
  Authorization,
  {
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Caller, Unauthorized | Unavailable>
    readonly authenticateById: (id: Caller["keyId"]) => Effect.Effect<Caller, Unauthorized | Unavailable>
    readonly require: (caller: Caller, scopes: ReadonlyArray<Scope>) => Effect.Effect<void, InsufficientScope>
  }
>()("slipway/core/service/Authorization") {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const refused = new Unauthorized({ detail: "The request needs a valid API key: Authorization: Bearer slip_…" })

      const resolve = Effect.fnUntraced(function* (lookUp: ReturnType<typeof keys.findByHash>) {
        const found = Option.getOrUndefined(yield* lookUp)
        const now = yield* DateTime.now
        if (found === undefined || !isLive(found.key, now)) return yield* refused
        const { account, key } = found
        if (isUseDue(key, now)) {
          yield* Effect.catch(keys.touch(key.id, now), () => Effect.logWarning("A key's use could not be written down"))
        }
        return { account: { id: account.id, name: account.name }, keyId: key.id, scopes: key.scopes }
      })

      return Authorization.of({
        authenticate: Effect.fn("Authorization.authenticate")(function* (credential) {
          const key = Redacted.value(credential)
          return isKey(key) ? yield* resolve(keys.findByHash(hashSecret(key))) : yield* refused
        }),
        authenticateById: Effect.fn("Authorization.authenticateById")(function* (id) {
          return yield* resolve(keys.findById(id))
        }),
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
