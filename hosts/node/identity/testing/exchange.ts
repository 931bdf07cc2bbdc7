import { TrustStore } from "../../../../core/ports/TrustStore.ts"
import { assert } from "@effect/vitest"
import { Effect, Latch, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ExchangeTokenResponse } from "../../../../core/api/tokens.ts"
import { refusal } from "../../../http/testing/refusals.ts"
import { newAccount, TestHost } from "../../../http/testing/TestHost.ts"
import type { RepositoryTrust } from "../../../../core/model/Repository.ts"
import { startIssuer } from "./issuerEmulator.ts"

export const exchange = (token: unknown, repository?: string) =>
  Effect.flatMap(TestHost, (host) => host.call("POST", "/api/v1/token-exchange", { body: { token, repository } }))

export const asKey = Schema.decodeUnknownEffect(ExchangeTokenResponse)

/** An account with a linked repository that trusts the issuer for builds. */
export const trusting = Effect.fnUntraced(function* (
  trust: Pick<RepositoryTrust, "conditions" | "pinned"> = {},
  start: typeof startIssuer = startIssuer
) {
  const { admin, url } = yield* TestHost
  // The reasons of refusals are logged ten times a minute.
  yield* TestClock.adjust("1 minute")
  const account = yield* newAccount(["builds", "preview_upload"])
  const { asked, issuer, jwk, publishes, token } = yield* start
  const { owner, repo } = account
  yield* admin.trustRepository({ owner, repo, issuer, scopes: ["builds"], ...trust })
  const repository = `${owner}/${repo}`
  return { account, asked, issuer, jwk, publishes, token, repository, url, fresh: token(repository, url) }
})

export const trusted = trusting()

export const description = "/_services/token/.well-known/openid-configuration"
export const jwks = "/_services/token/.well-known/jwks"

/** What the host logged. */
export const lines: Array<string> = []
export const layerLog = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])

/** Checks that a token is refused as every other one, byte for byte but for the id of the request, and that the log has the reason. */
export const assertRefused = Effect.fnUntraced(function* (token: string, reason: RegExp, named?: string) {
  lines.length = 0
  const problem = yield* refusal(yield* exchange(token, named), 401, "unauthorized")
  assert.strictEqual(problem.detail, oneAnswer)
  assert.match(lines.join("\n"), reason)
})

export const oneAnswer =
  "This token gets no key. It must be unused and still valid, its audience this service's URL, and its run one that a repository's trust covers (slipway repo trust). The log of the service has the reason."

/** The audit log's entries of an account for what its repository trusts, the latest first. */
export const trustEntries = Effect.fnUntraced(function* (account: string) {
  const entries = yield* (yield* TestHost).admin.listAudit({ account, limit: 100 })
  return entries
    .filter(({ action }) => action.startsWith("trust."))
    .map(({ action, actor, detail }) => ({ action, detail, actor: "token" in actor ? actor.token : "" }))
})

const gate = Latch.makeUnsafe(true)
let awaited = 0
export const gathering = Layer.effect(
  TrustStore,
  Effect.map(TrustStore, (store) => ({
    ...store,
    find: (repository, issuer) =>
      Effect.tap(store.find(repository, issuer), () =>
        Effect.andThen(awaited > 0 && --awaited === 0 ? gate.open : Effect.void, gate.await)
      )
  }))
)

/** Answers the next so many look-ups of a trust together. */
export const answerTogether = (count: number) =>
  Effect.suspend(() => {
    awaited = count
    return gate.close
  })
