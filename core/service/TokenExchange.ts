import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { KeyId, type ApiKey } from "../model/ApiKey.ts"
import { Unauthorized } from "../model/Problem.ts"
import { repositoryKey } from "../model/Repository.ts"
import { IdentityTokens } from "../ports/IdentityTokens.ts"
import { TrustStore } from "../ports/TrustStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { keyMade } from "../rules/events.ts"
import { hashSecret, makeKey } from "../rules/secrets.ts"
import type { IssuedKey } from "./administrationMethods.ts"
import { makeRandomText } from "./randomText.ts"
import { Settings } from "./Settings.ts"
import { Acting, makeAuditing } from "./auditing.ts"
import { makeTelling } from "./telling.ts"

/** How long a key lives for which a token was exchanged. */
export const exchangedLife = Duration.minutes(15)

const refused = (detail: string) => new Unauthorized({ detail })

/** Gives a run of CI a key for the token by which its CI system vouches for it, so that no secret needs to be kept there. */
export class TokenExchange extends Context.Service<
  TokenExchange,
  {
    /**
     * A key of fifteen minutes, of the account that links the token's repository, with the scopes that its trust names.
     * `Unauthorized`, with the reason, when no trust covers the token, its issuer didn't sign it for this host's URL, it is
     * over, or it was exchanged before, and where the host verifies no tokens.
     *
     * @see docs/silences.md
     */
    readonly exchange: (token: string) => Effect.Effect<IssuedKey, Unauthorized | WriteFailure>
  }
>()("slipway/core/service/TokenExchange") {
  static readonly layer = Layer.effect(
    TokenExchange,
    Effect.gen(function* () {
      const store = yield* TrustStore
      const tokens = yield* IdentityTokens
      const { url } = yield* Settings
      const random = yield* SecureRandom
      const randomText = yield* makeRandomText
      const telling = yield* makeTelling
      const auditing = yield* makeAuditing

      const exchange = Effect.fn("TokenExchange.exchange")(
        function* (token: string) {
          if (tokens === undefined) return yield* refused("This host verifies no identity tokens; use an API key.")
          const claimed = yield* tokens.read(token)
          const slash = claimed.repository.lastIndexOf("/")
          const [owner, repo] = [claimed.repository.slice(0, Math.max(slash, 0)), claimed.repository.slice(slash + 1)]
          const found = Option.getOrUndefined(yield* store.find(repositoryKey(owner, repo), claimed.issuer))
          const trust = found && Option.getOrUndefined(found.trust)
          // The issuer is asked for its keys only when somebody here trusts it.
          if (found === undefined || trust === undefined) {
            return yield* refused(
              `No account here trusts tokens of ${claimed.issuer} for ${claimed.repository}; whoever runs this service ` +
                `does that with: slipway repo trust ${claimed.repository} --github`
            )
          }
          const proven = yield* tokens.verify(token, { issuer: trust.issuer, audience: url })
          if (proven.repository !== claimed.repository) return yield* refused("The token is not what it claims.")

          const now = yield* DateTime.now
          const key = makeKey(yield* randomText(40))
          const record: ApiKey = {
            id: KeyId.make(yield* random.uuidV7()),
            accountId: found.account.id,
            name: `CI of ${found.repository.owner}/${found.repository.repo}`.slice(0, 1024),
            hash: hashSecret(key),
            scopes: trust.scopes,
            createdAt: now,
            expiresAt: DateTime.addDuration(now, exchangedLife)
          }
          const tokenHash = hashSecret(`identity token\n${proven.issuer}\n${proven.id}`)
          const isFirst = yield* telling(keyMade(record), now, (event) =>
            auditing(
              {
                action: "key.exchanged",
                accountId: record.accountId,
                at: now,
                subject: `key:${record.id}`,
                detail: `${record.name}: ${record.scopes.join(" ")}`
              },
              store.exchange({ tokenHash, endsAt: proven.endsAt, now, key: record, event }),
              (isFirst) => isFirst
            )
          ).pipe(
            Effect.provideService(Acting, {
              ...(yield* Acting),
              actor: { token: `${proven.issuer} ${proven.repository}` }
            })
          )
          if (!isFirst) return yield* refused("The token was exchanged already; ask your CI for another one.")
          return { key, record, account: found.account }
        },
        Effect.catchTag("TokenRefused", ({ reason }) => Effect.fail(refused(reason)))
      )

      return TokenExchange.of({ exchange })
    })
  )
}
