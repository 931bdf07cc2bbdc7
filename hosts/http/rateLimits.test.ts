/** How many requests a key, an account and an address may make, over HTTP and on several hosts. */
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Result, Schema } from "effect"
import { IpNetwork } from "effect/net"
import { TestClock } from "effect/testing"
import { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import { CreateShareLinkResponse } from "../../core/api/shareLinks.ts"
import { AccountId } from "../../core/model/Account.ts"
import { KeyId } from "../../core/model/ApiKey.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { RateStore } from "../../core/ports/RateStore.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { Settings } from "../../core/service/Settings.ts"
import type { Rates } from "../../core/rules/limits.ts"
import { makeClient } from "../client/makeClient.ts"
import { onNode } from "../client/onNode.ts"
import { visit } from "../viewer/testing/visit.ts"
import { inMemory, testEngines } from "./testing/engines.ts"
import { it, layer } from "../../core/testing/layer.ts"
import { readyPreview } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { layerClock, newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { bundle, commit, latest, readyBuild } from "./testing/uploads.ts"

/** The limits as one host has them, on engines that it shares. */
const hostWith = (rates: Rates) =>
  Effect.map(
    Layer.build(Layer.fresh(RateLimits.layer).pipe(Layer.provide(Settings.layer({ url: "http://127.0.0.1", rates })))),
    (context) => Context.get(context, RateLimits)
  )

const caller = { account: { id: AccountId.make("a1"), name: "acme" }, keyId: KeyId.make("k1"), scopes: [] }

/** How many of so many requests at once are admitted. */
const admitted = (limits: RateLimits["Service"], requests: number) =>
  Effect.map(
    Effect.all(
      Array.from({ length: requests }, () => Effect.result(limits.count(caller))),
      { concurrency: 8 }
    ),
    (answers) => answers.filter(Result.isSuccess).length
  )

const signing = SignedUrls.layer({ secret: Redacted.make("test secret"), baseUrl: "http://127.0.0.1" })

/** Checks a refusal and answers after how many seconds there is room again. */
const overLimit = Effect.fnUntraced(function* (answer: HttpResponse, policy: string, limit: number) {
  const problem = yield* refusal(answer, 429, "rate_limited")
  const seconds = answer.headers.get("retry-after") ?? ""
  assert.match(seconds, /^[1-9]\d?$/)
  assert.strictEqual(answer.headers.get("ratelimit-policy"), `"${policy}";q=${limit};w=60`)
  assert.strictEqual(answer.headers.get("ratelimit"), `"${policy}";r=0;t=${seconds}`)
  assert.include(problem.detail, `wait ${seconds} second`)
  return Number(seconds)
})

for (const engines of testEngines()) {
  describe(`rate limits on ${engines.metadata}`, () => {
    it.effect.each([60, 600, 6000])("two hosts share a limit of %i a minute within 5 percent", (limit) =>
      Effect.gen(function* () {
        const hosts = [yield* hostWith({ key: limit }), yield* hostWith({ key: limit })]
        const minutes = 4
        let total = 0
        for (let second = 0; second < minutes * 60; second += 5) {
          // More than there is, unequally, so that what one host takes and doesn't use is missed.
          for (const [index, limits] of hosts.entries()) {
            total += yield* admitted(limits, second === 0 ? limit : Math.ceil((limit / 12) * (index + 0.5)))
          }
          yield* TestClock.adjust("5 seconds")
        }
        const allowed = limit + limit * (minutes - 1 / 12)
        assert.closeTo(total, allowed, allowed * 0.05)
      }).pipe(Effect.scoped, Effect.provide(engines.ports.pipe(Layer.provide(signing), Layer.provideMerge(layerClock))))
    )
  })

  layer(TestHost.layer(engines, { rates: { key: 60, account: 90 } }))(
    `limited keys on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("a key has its limit, and its account has one for all of its keys", function* () {
        const { admin, call } = yield* TestHost
        const account = yield* newAccount(["builds"])
        const other = yield* newAccount(["builds"])
        const ask = (key: string) =>
          call("GET", `/api/v1/builds/${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`, { key })
        for (let made = 0; made < 60; made += 1) assert.strictEqual((yield* ask(account.key)).status, 404)
        const seconds = yield* overLimit(yield* ask(account.key), "key", 60)
        assert.strictEqual(seconds, 1)
        assert.strictEqual((yield* ask(other.key)).status, 404)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* ask(account.key)).status, 404)
        yield* overLimit(yield* ask(account.key), "key", 60)
        const { key } = yield* admin.createKey({ account: account.name, name: "second", scopes: ["builds"] })
        // The account's 90 were for 61 requests, and filled for a second.
        for (let made = 0; made < 30; made += 1) assert.strictEqual((yield* ask(key)).status, 404)
        yield* overLimit(yield* ask(key), "account", 90)
      })

      it.effect("a client that waits for Retry-After loses nothing", function* () {
        const { url } = yield* TestHost
        const { key, owner, repo } = yield* newAccount(["builds"])
        const context = yield* Effect.context<never>()
        const waits: Array<number> = []
        const client = makeClient({ url, key }, onNode, {
          now: () => 0,
          random: () => 0,
          wait: async (ms) => {
            waits.push(ms)
            await Effect.runPromiseWith(context)(TestClock.adjust(ms))
          }
        })
        yield* Effect.promise(async () => {
          for (let n = 0; n < 40; n += 1) {
            const build = await client.builds.upload({
              owner,
              repo,
              branch: "main",
              platform: "ios",
              commitSha: commit(n),
              bundle: { body: bundle, contentType: "text/javascript" }
            })
            assert.strictEqual((await client.builds.read(build.id)).status, "ready")
          }
        })
        assert.isAtLeast(waits.length, 10)
        for (const ms of waits) assert.isAtMost(ms, 2000)
      })
    }
  )

  layer(TestHost.layer(engines, { rates: { guesses: 20 } }))(
    `guesses on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect(
        "wrong keys, tokens, sign-ins and share links of an address are refused over the limit, and right ones never",
        function* () {
          const { call } = yield* TestHost
          const account = yield* newAccount(["builds", "preview_upload"])
          const { row } = yield* readyBuild(account)
          const { shareId } = yield* readyPreview(account)
          const share = yield* call("POST", `/api/v1/previews/${shareId}/shares`, { key: account.key, body: {} })
          const link = yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(share.json)
          const shared = new URL(link.url).pathname
          const wrong = `slip_${"0".repeat(46)}`
          const guesses = [
            call("GET", `/api/v1/builds/${row.id}`, { key: wrong }),
            call("POST", "/api/v1/token-exchange", { body: { token: "x.y.z" } }),
            visit("POST", "/sign-in", { form: { key: wrong } }),
            visit("GET", `/shared/${"0".repeat(32)}`)
          ] as const
          const statuses = [401, 401, 401, 404]
          for (let made = 0; made < 20; made += 1) {
            const guess = guesses[made % 4] ?? guesses[0]
            assert.strictEqual((yield* guess).status, statuses[made % 4])
          }
          assert.strictEqual(yield* overLimit(yield* guesses[0], "guesses", 20), 3)
          for (const guess of guesses) {
            const { headers, status } = yield* guess
            assert.strictEqual(status, 429)
            assert.strictEqual(headers.get("retry-after"), "3")
          }
          // Far more right ones than the limit, among others' wrong ones, on each way in.
          for (let made = 0; made < 25; made += 1) {
            assert.strictEqual((yield* call("GET", `/api/v1/builds/${row.id}`, account)).status, 200)
            assert.strictEqual((yield* latest(account)).status, 200)
            assert.strictEqual((yield* visit("GET", shared)).status, 200)
            assert.strictEqual((yield* visit("POST", "/sign-in", { form: { key: account.key } })).status, 303)
            assert.strictEqual((yield* guesses[made % 4] ?? guesses[0]).status, 429)
          }
          assert.strictEqual((yield* call("GET", `/api/v1/builds/${row.id}`)).status, 401)
          yield* TestClock.adjust("3 seconds")
          assert.strictEqual((yield* guesses[0]).status, 401)
          yield* overLimit(yield* guesses[0], "guesses", 20)
        }
      )
    }
  )
}

const wrong = { authorization: `Bearer slip_${"0".repeat(46)}` }

/** The statuses of so many requests with a wrong key, the first from one address and so on. */
const guessesFrom = (...addresses: ReadonlyArray<string>) =>
  Effect.forEach(addresses, (address) =>
    Effect.flatMap(TestHost, ({ call }) =>
      Effect.map(
        call("GET", "/api/v1/test-runs?org=a&repo=b", { headers: { ...wrong, "x-forwarded-for": address } }),
        ({ status }) => status
      )
    )
  )

layer(TestHost.layer(inMemory, { rates: { guesses: 1 } }))("behind no proxy", (it) => {
  it.effect("X-Forwarded-For is not trusted", function* () {
    assert.deepStrictEqual(yield* guessesFrom("192.0.2.1", "192.0.2.2"), [401, 429])
  })
})

const trustedProxies = ["127.0.0.0/8", "10.0.0.0/8"].map((network) => IpNetwork.fromStringUnsafe(network))

layer(TestHost.layer(inMemory, { rates: { guesses: 1 } }, { trustedProxies }))("behind trusted proxies", (it) => {
  it.effect(
    "each client has its own limit, whatever it writes before, and a network of IPv6 is one client",
    function* () {
      const from = ["192.0.2.1", "192.0.2.2", "198.51.100.1, 192.0.2.2", "192.0.2.3, 10.0.0.1", "192.0.2.3"]
      assert.deepStrictEqual(yield* guessesFrom(...from), [401, 401, 429, 401, 429])
      const six = ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"]
      assert.deepStrictEqual(yield* guessesFrom(...six), [401, 429, 401])
    }
  )
})

describe("rate limits whose store can't be reached", () => {
  it.effect("let requests pass, with a log line", function* () {
    const lines: Array<unknown> = []
    const limits = yield* hostWith({ key: 1 }).pipe(
      Effect.provideService(RateStore, {
        consume: () => Effect.fail(Unavailable.default),
        deleteFull: () => Effect.fail(Unavailable.default)
      })
    )
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
    assert.strictEqual(yield* Effect.provide(admitted(limits, 5), logger), 5)
    assert.include(JSON.stringify(lines), "A rate limit could not be asked")
  })
})
