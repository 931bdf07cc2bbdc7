/** Keys for identity tokens of CI runs, from an emulated issuer over real HTTP. */
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Latch, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ExchangeTokenResponse } from "../../core/api/tokens.ts"
import type { RepositoryTrust } from "../../core/model/Repository.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { testEngines } from "../http/testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { postPreview, previewBody } from "../http/testing/previews.ts"
import { refusal } from "../http/testing/refusals.ts"
import { post, reserveBody } from "../http/testing/uploads.ts"
import { organization, otherCis, startIssuer, startIssuerOf } from "./testing/issuerEmulator.ts"
import { maxBytes } from "./identityTokens.ts"

const exchange = (token: unknown, repository?: string) =>
  Effect.flatMap(TestHost, (host) => host.call("POST", "/api/v1/token-exchange", { body: { token, repository } }))

const asKey = Schema.decodeUnknownEffect(ExchangeTokenResponse)

/** An account with a linked repository that trusts the issuer for builds. */
const trusting = Effect.fnUntraced(function* (
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

const trusted = trusting()

const description = "/_services/token/.well-known/openid-configuration"
const jwks = "/_services/token/.well-known/jwks"

/** What the host logged. */
const lines: Array<string> = []
const layerLog = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])

/** Checks that a token is refused as every other one, byte for byte but for the id of the request, and that the log has the reason. */
const assertRefused = Effect.fnUntraced(function* (token: string, reason: RegExp, named?: string) {
  lines.length = 0
  const problem = yield* refusal(yield* exchange(token, named), 401, "unauthorized")
  assert.strictEqual(problem.detail, oneAnswer)
  assert.match(lines.join("\n"), reason)
})

const oneAnswer =
  "This token gets no key. It must be unused and still valid, its audience this service's URL, and its run one that a repository's trust covers (slipway repo trust). The log of the service has the reason."

/** The audit log's entries of an account for what its repository trusts, the latest first. */
const trustEntries = Effect.fnUntraced(function* (account: string) {
  const entries = yield* (yield* TestHost).admin.listAudit({ account, limit: 100 })
  return entries
    .filter(({ action }) => action.startsWith("trust."))
    .map(({ action, actor, detail }) => ({ action, detail, actor: "token" in actor ? actor.token : "" }))
})

const gate = Latch.makeUnsafe(true)
let awaited = 0
const gathering = Layer.effect(
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
const answerTogether = (count: number) =>
  Effect.suspend(() => {
    awaited = count
    return gate.close
  })

for (const plain of testEngines()) {
  const engines = { ...plain, ports: Layer.provideMerge(gathering, plain.ports) }
  layer(TestHost.layer(engines).pipe(Layer.provide(layerLog)))(
    `identity tokens on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect(
        "a token is exchanged for a key of fifteen minutes, with the trust's scopes, of that account alone",
        function* () {
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
        }
      )

      it.effect("a repository is the same in upper and lower case", function* () {
        const { repository, token, url } = yield* trusted
        assert.strictEqual((yield* exchange(yield* token(repository.toUpperCase(), url))).status, 201)
      })

      it.effect("a token for another audience is refused", function* () {
        const { repository, token } = yield* trusted
        yield* assertRefused(yield* token(repository, "https://github.com/acme"), /another audience/)
      })

      it.effect("a token of a repository that nobody trusts is refused", function* () {
        const { token, url } = yield* trusted
        yield* assertRefused(yield* token("mallory/app", url), /no account trusts http.* for mallory\/app/)
        const { owner, repo } = yield* newAccount(["builds"])
        yield* assertRefused(yield* token(`${owner}/${repo}`, url), /no account trusts/)
      })

      it.effect(
        "a token of another issuer is refused, also of one that signs in the name of the trusted one",
        function* () {
          const { issuer, repository, token, url } = yield* trusted
          const other = yield* startIssuer
          yield* assertRefused(yield* other.token(repository, url), /no repository trusts the issuer/)
          assert.deepStrictEqual(other.asked, [])
          yield* assertRefused(
            yield* other.token(repository, url, { claims: { iss: issuer } }),
            /not signed by its issuer/
          )
          yield* assertRefused(yield* token(repository, url, { isForged: true }), /not signed by its issuer/)
        }
      )

      it.effect("a token that has expired, or is not valid yet, is refused", function* () {
        const { fresh, repository, token, url } = yield* trusted
        const old = yield* fresh
        yield* TestClock.adjust("12 minutes")
        yield* assertRefused(old, /has expired/)
        const now = Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 1000)
        yield* assertRefused(yield* token(repository, url, { claims: { nbf: now + 600 } }), /not valid yet/)
      })

      it.effect("a token is exchanged once, also when it comes many times at once", function* () {
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

      it.effect("a token without an id, an end or a repository is refused, and so is what is no token", function* () {
        const { repository, token, url } = yield* trusted
        for (const [claim, reason] of [
          ["jti", /jti/],
          ["exp", /exp/],
          ["repository", /\["repository"\]/],
          ["repository_id", /repository_id/],
          ["repository_owner_id", /repository_owner_id/],
          ["iss", /not an identity token/]
        ] as const) {
          yield* assertRefused(yield* token(repository, url, { claims: { [claim]: undefined } }), reason)
        }
        for (const nothing of ["x", "a.b.c", "e30.e30.", `${"x".repeat(16_000)}.y.z`]) {
          yield* assertRefused(nothing, /not an identity token/)
        }
        yield* refusal(yield* exchange(""), 400, "invalid_request")
      })

      it.effect("a trust that ended gives no more keys, nor does a repository that is unlinked", function* () {
        const { admin } = yield* TestHost
        const first = yield* trusted
        const { owner, repo } = first.account
        yield* admin.untrustRepository({ owner, repo, issuer: first.issuer })
        yield* assertRefused(yield* first.fresh, /no repository trusts the issuer/)
        const second = yield* trusted
        const { name, ...repository } = second.account
        yield* admin.unlinkRepository({ account: name, owner: repository.owner, repo: repository.repo })
        yield* assertRefused(yield* second.fresh, /no repository trusts the issuer/)
      })

      it.effect("an unsigned token is answered the same, whatever repositories are linked and trusted", function* () {
        const { repository, token, url } = yield* trusted
        const { owner, repo } = yield* newAccount(["builds"])
        for (const claimed of [repository, `${owner}/${repo}`, "nobody/nothing", ""]) {
          yield* assertRefused(yield* token(claimed, url, { isForged: true }), /not signed by its issuer/)
        }
      })

      it.effect(
        "an issuer that can't be asked is 503, and asked once in thirty seconds, however many tokens come",
        function* () {
          const { asked, fresh, publishes, repository, token, url } = yield* trusted
          publishes.isDown = true
          const forged = yield* token(repository, url, { isForged: true })
          const answers = yield* Effect.replicateEffect(exchange(forged), 8, { concurrency: "unbounded" })
          for (const answer of answers) yield* refusal(answer, 503, "unavailable")
          yield* refusal(yield* exchange(yield* token("nobody/nothing", url)), 503, "unavailable")
          assert.deepStrictEqual(asked, [description])
          publishes.isDown = false
          yield* TestClock.adjust("29 seconds")
          yield* refusal(yield* exchange(yield* fresh), 503, "unavailable")
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* exchange(yield* fresh)).status, 201)
          assert.deepStrictEqual(asked, [description, description, jwks])
        }
      )

      it.effect(
        "an issuer is asked once for many tokens, and again for a key that it has published since",
        function* () {
          const { asked, fresh, jwk, publishes, repository, token, url } = yield* trusted
          const tokens = yield* Effect.replicateEffect(fresh, 8)
          const answers = yield* Effect.forEach(tokens, (one) => exchange(one), { concurrency: "unbounded" })
          for (const { status } of answers) assert.strictEqual(status, 201)
          assert.deepStrictEqual(asked, [description, jwks])
          const renewed = token(repository, url, { kid: "new" })
          publishes.keys = [{ ...jwk, kid: "new" }]
          for (let made = 0; made < 3; made += 1) yield* assertRefused(yield* renewed, /not signed by its issuer/)
          assert.lengthOf(asked, 2)
          yield* TestClock.adjust("30 seconds")
          assert.strictEqual((yield* exchange(yield* renewed)).status, 201)
          assert.lengthOf(asked, 4)
        }
      )

      it.effect("an issuer whose keys are too large, too many, another's, moved or without TLS is 503", function* () {
        const { fresh, issuer, jwk, publishes } = yield* trusted
        const whole = { padding: undefined, issuer: undefined, jwksUri: undefined, isMoved: undefined, ...publishes }
        for (const hostile of [
          { padding: "x".repeat(maxBytes) },
          { keys: Array.from({ length: 101 }, (_, index) => ({ ...jwk, kid: `${index}` })) },
          { issuer: "https://other.example" },
          { isMoved: true },
          { jwksUri: `${issuer.replace("127.0.0.1", "localhost")}/.well-known/jwks` }
        ]) {
          Object.assign(publishes, hostile)
          yield* refusal(yield* exchange(yield* fresh), 503, "unavailable")
          Object.assign(publishes, whole)
          yield* TestClock.adjust("30 seconds")
        }
        assert.strictEqual((yield* exchange(yield* fresh)).status, 201)
      })

      it.effect(
        "the ids of the first token are pinned: another repository or owner of that name gets no key",
        function* () {
          const { admin } = yield* TestHost
          const { account, fresh, issuer, repository, token, url } = yield* trusted
          const { name, owner, repo } = account
          assert.strictEqual((yield* exchange(yield* fresh)).status, 201)
          for (const claims of [{ repository_id: "75" }, { repository_owner_id: "66" }]) {
            yield* assertRefused(yield* token(repository, url, { claims }), /the trust has 74 and 65/)
          }
          const actor = `${issuer} ${repository}`
          assert.deepStrictEqual(yield* trustEntries(name), [
            {
              action: "trust.refused",
              detail: `${issuer}: the ids of repository and owner are 74 and 66; the trust has 74 and 65`,
              actor
            },
            {
              action: "trust.refused",
              detail: `${issuer}: the ids of repository and owner are 75 and 65; the trust has 74 and 65`,
              actor
            },
            { action: "trust.pinned", detail: `${issuer}: repository 74, owner 65`, actor },
            { action: "trust.created", detail: `${issuer}: builds`, actor: "" }
          ])
          const renamed = yield* token(repository, url, { claims: { repository_id: "75" } })
          const again = { owner, repo, issuer, scopes: ["builds"] } as const
          yield* admin.trustRepository(again)
          yield* assertRefused(renamed, /the trust has 74 and 65/)
          yield* admin.trustRepository({ ...again, pinned: { repository: "75", owner: "65" } })
          assert.strictEqual((yield* exchange(renamed)).status, 201)
          yield* assertRefused(yield* fresh, /the trust has 75 and 65/)
        }
      )

      it.effect("of first tokens with different ids that come at once, those of one are pinned", function* () {
        const { repository, token, url } = yield* trusted
        const tokens = yield* Effect.forEach(["1", "2", "3", "4"], (repository_id) =>
          token(repository, url, { claims: { repository_id } })
        )
        yield* answerTogether(tokens.length)
        const answers = yield* Effect.forEach(tokens, (one) => exchange(one), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          answers.map(({ status }) => status).toSorted((a, b) => a - b),
          [201, 401, 401, 401]
        )
      })

      it.effect("a run that the conditions leave out gets no key, which the account's audit log says", function* () {
        const conditions = {
          branches: ["main"],
          environments: ["release"],
          workflows: ["acme/ci/.github/workflows/release.yml@refs/heads/main"]
        } as const
        const { account, repository, token, url } = yield* trusting({ conditions })
        const right = { environment: "release", job_workflow_ref: conditions.workflows[0] }
        const withClaims = (claims: object) => token(repository, url, { claims: { ...right, ...claims } })
        for (const [claims, reason] of [
          [{ ref: "refs/heads/dev" }, /the ref is refs\/heads\/dev; the trust has refs\/heads\/main/],
          [{ ref: "refs/pull/1/merge" }, /the ref is/],
          [{ environment: undefined }, /the environment is absent/],
          [{ job_workflow_ref: "mallory/ci/.github/workflows/release.yml@refs/heads/main" }, /the workflow is/],
          [{ event_name: "pull_request_target" }, /pull_request_target/]
        ] as const) {
          yield* assertRefused(yield* withClaims(claims), reason)
          assert.match((yield* trustEntries(account.name))[0]?.detail ?? "", reason)
        }
        assert.strictEqual((yield* exchange(yield* withClaims({}))).status, 201)
      })

      it.effect("pull_request_target gets a key only where that is allowed", function* () {
        const claims = { event_name: "pull_request_target" }
        const closed = yield* trusted
        yield* assertRefused(yield* closed.token(closed.repository, closed.url, { claims }), /pull_request_target/)
        const open = yield* trusting({ conditions: { pullRequestTarget: true } })
        assert.strictEqual((yield* exchange(yield* open.token(open.repository, open.url, { claims }))).status, 201)
      })

      it.effect("a token of GitLab is exchanged on the same conditions, by each step of its job", function* () {
        const conditions = {
          branches: ["main"],
          environments: ["release"],
          workflows: ["gitlab.com/*//.gitlab-ci.yml@refs/heads/main"]
        } as const
        const pinned = { repository: "74", owner: "65" }
        const { repository, token, url } = yield* trusting({ conditions, pinned }, startIssuerOf(otherCis.gitlab))
        const withClaims = (claims: object) => token(repository, url, { claims: { environment: "release", ...claims } })
        const right = yield* withClaims({})
        for (let step = 0; step < 2; step += 1) assert.strictEqual((yield* exchange(right)).status, 201)
        for (const [claims, reason] of [
          [{ ref: "dev" }, /the ref is refs\/heads\/dev/],
          [{ ref_type: "tag" }, /the ref is refs\/tags\/main/],
          [{ pipeline_source: "merge_request_event" }, /the ref is refs\/merge-requests\/main/],
          [{ environment: undefined }, /the environment is absent/],
          [{ ci_config_ref_uri: "gitlab.com/mallory/ci//.gitlab-ci.yml@refs/heads/dev" }, /the workflow is/],
          [{ project_id: "75" }, /the trust has 74 and 65/],
          [{ project_path: "mallory/app" }, /no account trusts .* for mallory\/app/],
          [{ namespace_id: undefined }, /token of GitLab .*namespace_id/]
        ] as const) {
          yield* assertRefused(yield* withClaims(claims), reason)
        }
      })

      it.effect("a token of CircleCI is for the host, or as its variable has it for the organization", function* () {
        const conditions = { branches: ["main"] } as const
        const { repository, token, url } = yield* trusting({ conditions }, startIssuerOf(otherCis.circleci))
        for (const audience of [url, organization]) {
          const variable = yield* token(repository, audience)
          for (let step = 0; step < 2; step += 1) assert.strictEqual((yield* exchange(variable)).status, 201)
        }
        yield* assertRefused(yield* token(repository, "0190b2c4-2222-7000-8000-000000000065"), /another audience/)
        yield* assertRefused(yield* token("mallory/app", url), /no account trusts/)
        for (const [claims, reason] of [
          [{ "oidc.circleci.com/vcs-ref": "refs/pull/7/head" }, /the ref is refs\/pull\/7\/head/],
          [{ "oidc.circleci.com/project-id": "75" }, new RegExp(`the trust has 74 and ${organization}`)]
        ] as const) {
          yield* assertRefused(yield* token(repository, url, { claims }), reason)
        }
      })

      it.effect("a token of Buildkite is exchanged for the repository whose trust has its pipeline", function* () {
        const conditions = { branches: ["main"] } as const
        const pinned = { repository: "74", owner: organization }
        const start = startIssuerOf(otherCis.buildkite)
        const { repository, token, url } = yield* trusting({ conditions, pinned }, start)
        const right = yield* token("", url)
        assert.strictEqual((yield* exchange(right, repository)).status, 201)
        yield* assertRefused(right, /neither the token nor the request/)
        yield* assertRefused(right, /no account trusts/, "mallory/app")
        for (const [claims, reason] of [
          [{ build_branch: "dev" }, /the ref is refs\/heads\/dev/],
          [{ build_tag: "main" }, /the ref is refs\/tags\/main/],
          [{ organization_id: "other" }, /are 74 and other/],
          [{ pipeline_id: "75" }, /are 75 and/]
        ] as const) {
          yield* assertRefused(yield* token("", url, { claims }), reason, repository)
        }
        const open = yield* trusting({}, start)
        yield* assertRefused(yield* open.token("", open.url), /the trust has no ids/, open.repository)
      })

      it.effect("a repository that is unlinked and linked again trusts nobody", function* () {
        const { admin } = yield* TestHost
        const { account, fresh } = yield* trusted
        const { name, owner, repo } = account
        yield* admin.unlinkRepository({ account: name, owner, repo })
        yield* admin.linkRepository({ account: name, owner, repo })
        yield* assertRefused(yield* fresh, /no repository trusts the issuer/)
        assert.deepStrictEqual(yield* admin.listTrusts({ account: name }), [])
      })
    }
  )
}
