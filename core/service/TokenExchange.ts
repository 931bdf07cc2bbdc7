import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { KeyId, type ApiKey } from "../model/ApiKey.ts"
import { Unauthorized, type InvalidRequest } from "../model/Problem.ts"
import { repositoryKey } from "../model/Repository.ts"
import { Conflict, type WriteFailure } from "../ports/WriteFailure.ts"
import { IdentityTokens, TokenRefused, type ProvenIdentity } from "../ports/HostServices.ts"
import { TrustStore } from "../ports/TrustStore.ts"
import { keyCreated } from "../rules/events.ts"
import { hashSecret, makeKey, uncovered } from "../rules/credentials.ts"
import { CurrentActor, makeAuditing, ofRepository } from "./auditing.ts"
import type { IssuedKey } from "./administrationMethods.ts"
import { retryOnConflict } from "./commits.ts"
import { makeRandomText } from "./randomText.ts"
import { makeSampledLog } from "./securityLog.ts"
import { Settings } from "./Settings.ts"
import { makeEventPublisher } from "./webhooks.ts"
import { inSpan } from "./telemetry.ts"

/** The lifetime of an exchanged key. */
const exchangedLife = Duration.minutes(15)

/** The same answer for every refused token, so that it doesn't reveal links and trusts. The reason is logged. */
const refused = new Unauthorized({
  detail:
    "This token gets no key. It must be unused and still valid, its audience this service's URL, and its run one that a " +
    "repository's trust covers (slipway repo trust). The log of the service has the reason."
})

/** Exchanges the identity token of a CI run for a key, so that CI needs no stored secret. */
export class TokenExchange extends Context.Service<
  TokenExchange,
  {
    /**
     * A key of fifteen minutes, of the account that links the token's repository, with the scopes that its trust names.
     * `Unauthorized`, the same for every reason, when its issuer didn't sign it for this host's URL, it is over, no trust covers
     * its run, or it was exchanged before, and where the host verifies no tokens. The reason is logged, and a run that a
     * trust doesn't cover is in the audit log. The store is read only for a verified token. `repository` (`OWNER/NAME`) counts only
     * for a token that has none: the trust of that repository must have the token's ids.
     *
     * @see docs/api-behavior.md
     */
    readonly exchange: (
      token: string,
      repository?: string
    ) => Effect.Effect<IssuedKey, Unauthorized | InvalidRequest | WriteFailure>
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
      const publish = yield* makeEventPublisher
      const auditing = yield* makeAuditing
      const log = makeSampledLog()

      /** The trust for a verified token, which covers its run; `Conflict` when another token was the first meanwhile. */
      const trustFor = Effect.fnUntraced(function* (proven: ProvenIdentity, name: string) {
        const slash = name.lastIndexOf("/")
        const [owner, repo] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)]
        const linked = Option.getOrUndefined(yield* store.find(repositoryKey(owner, repo), proven.issuer))
        const trust = linked && Option.getOrUndefined(linked.trust)
        if (linked === undefined || trust === undefined) {
          return yield* new TokenRefused({ reason: `no account trusts ${proven.issuer} for ${name}` })
        }
        const at = yield* DateTime.now
        const reason =
          proven.repository === undefined && trust.pinned === undefined
            ? "the token has no repository, and the trust has no ids"
            : uncovered(trust, proven)
        if (reason !== undefined) {
          const { issuer } = trust
          yield* auditing(
            { ...ofRepository("trust.refused", linked.repository, at), detail: `${issuer}: ${reason}`.slice(0, 1024) },
            Effect.void
          )
          return yield* new TokenRefused({ reason: `${name}: ${reason}` })
        }
        if (trust.pinned !== undefined) return { ...linked, trust }
        const { owner: ownerId, repository: repositoryId } = proven.ids
        const isPinned = yield* auditing(
          {
            ...ofRepository("trust.pinned", linked.repository, at),
            detail: `${trust.issuer}: repository ${repositoryId}, owner ${ownerId}`
          },
          store.pin(trust.repositoryId, trust.issuer, proven.ids),
          (isFirst) => isFirst
        )
        return isPinned ? { ...linked, trust } : yield* new Conflict()
      })

      /** A key for a verified token. */
      const keyFor = Effect.fnUntraced(function* (proven: ProvenIdentity, named: string) {
        const { account, repository, trust } = yield* retryOnConflict(trustFor(proven, named))
        const now = yield* DateTime.now
        const key = makeKey(yield* randomText(40))
        const record: ApiKey = {
          id: KeyId.make(yield* random.uuidV7()),
          accountId: account.id,
          name: `CI of ${repository.owner}/${repository.repo}`.slice(0, 1024),
          hash: hashSecret(key),
          scopes: trust.scopes,
          createdAt: now,
          expiresAt: DateTime.addDuration(now, exchangedLife)
        }
        const tokenHash = hashSecret(`identity token\n${proven.issuer}\n${proven.id ?? record.id}`)
        const isFirst = yield* publish(keyCreated(record), now, (event) =>
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
        )
        if (!isFirst) return yield* new TokenRefused({ reason: `the token of ${named} was exchanged already` })
        return { key, record, account }
      })

      const exchange = Effect.fnUntraced(
        function* (token: string, claimed?: string) {
          if (tokens === undefined) {
            return yield* new TokenRefused({ reason: "this host verifies no identity tokens" })
          }
          // An issuer is asked for its keys only when somebody here trusts it.
          const issuer = yield* tokens.issuerOf(token)
          if (!(yield* store.isTrusted(issuer))) {
            return yield* new TokenRefused({ reason: "no repository trusts the issuer that the token names" })
          }
          const proven = yield* tokens.verify(token, { issuer, audience: url })
          const named = proven.repository ?? claimed
          if (named === undefined) {
            return yield* new TokenRefused({ reason: "neither the token nor the request has a repository" })
          }
          const actor = { token: `${proven.issuer} ${named}` }
          return yield* Effect.provideService(keyFor(proven, named), CurrentActor, { ...(yield* CurrentActor), actor })
        },
        Effect.catchTag("TokenRefused", ({ reason }) =>
          CurrentActor.pipe(
            Effect.flatMap(({ address }) =>
              log(address, () => Effect.logWarning(`An identity token was refused: ${reason}`))
            ),
            Effect.andThen(Effect.fail(refused))
          )
        ),
        inSpan("TokenExchange.exchange")
      )

      return TokenExchange.of({ exchange })
    })
  )
}
