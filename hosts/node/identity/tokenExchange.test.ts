/** Keys for identity tokens of CI runs, from a stand-in issuer over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ExchangeTokenResponse } from "../../../core/api/tokens/group.ts"
import { testEngines } from "../../http/testing/engines.ts"
import { postPreview, previewBody } from "../../http/testing/previews.ts"
import { refusal } from "../../http/testing/refusals.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { post, reserveBody } from "../../http/testing/uploads.ts"
import { startIssuer } from "./testing/StandInIssuer.ts"

const exchange = (token: unknown) =>
  Effect.flatMap(TestHost, (host) => host.call("POST", "/api/v1/token-exchange", { body: { token } }))

const asKey = Schema.decodeUnknownEffect(ExchangeTokenResponse)

/** An account with a linked repository that trusts the issuer for builds. */
const trusted = Effect.gen(function* () {
  const { admin, url } = yield* TestHost
  const account = yield* newAccount(["builds", "preview_upload"])
  const { issuer, token } = yield* startIssuer
  const { owner, repo } = account
  yield* admin.trustRepository({ owner, repo, issuer, scopes: ["builds"] })
  const repository = `${owner}/${repo}`
  return { account, issuer, token, repository, url, fresh: token(repository, url) }
})

const assertRefused = Effect.fnUntraced(function* (token: string, detail: RegExp) {
  const problem = yield* refusal(yield* exchange(token), 401, "unauthorized")
  assert.match(problem.detail, detail)
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`identity tokens on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("a token is exchanged for a key of fifteen minutes, with the trust's scopes, of that account alone", () =>
      Effect.gen(function* () {
        const { account, fresh } = yield* trusted
        const answer = yield* exchange(yield* fresh)
        assert.strictEqual(answer.status, 201, answer.text)
        const { expiresAt, key, scopes } = yield* asKey(answer.json)
        assert.deepStrictEqual(scopes, ["builds"])
        assert.strictEqual(Duration.toMinutes(DateTime.distance(yield* DateTime.now, expiresAt)), 15)
        const withKey = { ...account, key }
        assert.strictEqual((yield* post(withKey, reserveBody(account))).status, 201)
        assert.strictEqual((yield* postPreview(withKey, previewBody())).status, 403)
        const other = yield* newAccount(["builds"])
        assert.strictEqual((yield* post(withKey, reserveBody(other))).status, 404)
        yield* TestClock.adjust("15 minutes")
        assert.strictEqual((yield* post(withKey, reserveBody(account))).status, 401)
      })
    )

    it.effect("a repository is the same in upper and lower case", () =>
      Effect.gen(function* () {
        const { repository, token, url } = yield* trusted
        assert.strictEqual((yield* exchange(yield* token(repository.toUpperCase(), url))).status, 201)
      })
    )

    it.effect("a token for another audience is refused", () =>
      Effect.gen(function* () {
        const { repository, token } = yield* trusted
        yield* assertRefused(yield* token(repository, "https://github.com/acme"), /another audience/)
      })
    )

    it.effect("a token of a repository that nobody trusts is refused, with the command that mends it", () =>
      Effect.gen(function* () {
        const { token, url } = yield* trusted
        yield* assertRefused(yield* token("mallory/app", url), /slipway repo trust mallory\/app --github/)
        const { owner, repo } = yield* newAccount(["builds"])
        yield* assertRefused(yield* token(`${owner}/${repo}`, url), /No account here trusts tokens/)
      })
    )

    it.effect("a token of another issuer is refused, also of one that signs in the name of the trusted one", () =>
      Effect.gen(function* () {
        const { issuer, repository, token, url } = yield* trusted
        const other = yield* startIssuer
        yield* assertRefused(yield* other.token(repository, url), /No account here trusts tokens/)
        yield* assertRefused(
          yield* other.token(repository, url, { claims: { iss: issuer } }),
          /not signed by its issuer/
        )
        yield* assertRefused(yield* token(repository, url, { isForged: true }), /not signed by its issuer/)
      })
    )

    it.effect("a token that is over, or not valid yet, is refused", () =>
      Effect.gen(function* () {
        const { fresh, repository, token, url } = yield* trusted
        const old = yield* fresh
        yield* TestClock.adjust("12 minutes")
        yield* assertRefused(old, /is over/)
        const now = Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 1000)
        yield* assertRefused(yield* token(repository, url, { claims: { nbf: now + 600 } }), /not valid yet/)
      })
    )

    it.effect("a token is exchanged once, also when it comes many times at once", () =>
      Effect.gen(function* () {
        const { fresh } = yield* trusted
        const token = yield* fresh
        const answers = yield* Effect.replicateEffect(exchange(token), 8, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          answers.map(({ status }) => status).toSorted((a, b) => a - b),
          [201, ...Array.from({ length: 7 }, () => 401)]
        )
        yield* assertRefused(token, /exchanged already/)
        yield* TestClock.adjust("10 minutes")
        yield* assertRefused(token, /exchanged already/)
      })
    )

    it.effect("a token without an id, an end or a repository is refused, and so is what is no token", () =>
      Effect.gen(function* () {
        const { repository, token, url } = yield* trusted
        for (const [claim, reason] of [
          ["jti", /jti/],
          ["exp", /exp/],
          ["repository", /no identity token/]
        ] as const) {
          yield* assertRefused(yield* token(repository, url, { claims: { [claim]: undefined } }), reason)
        }
        for (const nothing of ["x", "a.b.c", "e30.e30.", `${"x".repeat(16_000)}.y.z`]) {
          yield* assertRefused(nothing, /no identity token/)
        }
        yield* refusal(yield* exchange(""), 400, "invalid_request")
      })
    )

    it.effect("a trust that ended gives no more keys, nor does a repository that is unlinked", () =>
      Effect.gen(function* () {
        const { admin } = yield* TestHost
        const first = yield* trusted
        const { owner, repo } = first.account
        yield* admin.untrustRepository({ owner, repo, issuer: first.issuer })
        yield* assertRefused(yield* first.fresh, /No account here trusts/)
        const second = yield* trusted
        const { name, ...repository } = second.account
        yield* admin.unlinkRepository({ account: name, owner: repository.owner, repo: repository.repo })
        yield* assertRefused(yield* second.fresh, /No account here trusts/)
      })
    )

    it.effect("an issuer that can't be asked is 503", () =>
      Effect.gen(function* () {
        const { admin, url } = yield* TestHost
        const { owner, repo } = yield* newAccount(["builds"])
        const { issuer, token } = yield* startIssuer
        const away = issuer.replace("/_services/token", "/nothing/here")
        yield* admin.trustRepository({ owner, repo, issuer: away, scopes: ["builds"] })
        const lost = yield* token(`${owner}/${repo}`, url, { claims: { iss: away } })
        yield* refusal(yield* exchange(lost), 503, "unavailable")
      })
    )
  })
}
