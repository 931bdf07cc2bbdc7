import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { IpNetwork } from "effect/net"
import { it } from "../../http/testing/layer.ts"
import { loadSettings } from "./settings.ts"

const load = (flags: Record<string, string>) =>
  loadSettings({ flags }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
    Effect.map(({ rates, trustedProxies }) => ({ rates, trustedProxies: trustedProxies.map(IpNetwork.format) }))
  )

describe("rate limits", () => {
  it.effect("only wrong secrets are limited unless set, and no proxy is trusted", function* () {
    assert.deepStrictEqual(yield* load({}), { rates: { guesses: 300 }, trustedProxies: [] })
  })

  it.effect("are numbers of requests a minute, or off", function* () {
    const given = { SLIPWAY_MAX_KEY_REQUESTS: "600", SLIPWAY_MAX_ACCOUNT_REQUESTS: "600", SLIPWAY_MAX_GUESSES: "off" }
    assert.deepStrictEqual((yield* load(given)).rates, { key: 600, account: 600 })
  })

  it.effect.each(["SLIPWAY_MAX_KEY_REQUESTS", "SLIPWAY_MAX_ACCOUNT_REQUESTS", "SLIPWAY_MAX_GUESSES"])(
    "%s that is no such number is refused",
    function* (env) {
      for (const value of ["0", "-1", "1.5", "many", "1e9", "NaN", "Infinity"]) {
        const { message } = yield* Effect.flip(load({ [env]: value }))
        assert.match(
          message,
          new RegExp(`^${env} \\(--max-[a-z-]+\\) must be a whole number of requests a minute`),
          value
        )
        assert.notInclude(message, "\n")
      }
    }
  )

  it.effect("a key's that is more than its account's is refused, as it would never be reached", function* () {
    const given = { SLIPWAY_MAX_KEY_REQUESTS: "601", SLIPWAY_MAX_ACCOUNT_REQUESTS: "600" }
    assert.strictEqual(
      (yield* Effect.flip(load(given))).message,
      "SLIPWAY_MAX_KEY_REQUESTS (--max-key-requests) is 601, more than the 600 of SLIPWAY_MAX_ACCOUNT_REQUESTS (--max-account-requests)"
    )
  })

  it.effect("trusted proxies are addresses and networks", function* () {
    const { trustedProxies } = yield* load({ SLIPWAY_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1,::1" })
    assert.deepStrictEqual(trustedProxies, ["10.0.0.0/8", "192.0.2.1/32", "::1/128"])
    for (const value of ["proxy.example", "10.0.0.0/33", "10.0.0.1,", "*"]) {
      const { message } = yield* Effect.flip(load({ SLIPWAY_TRUSTED_PROXIES: value }))
      assert.match(message, /^SLIPWAY_TRUSTED_PROXIES \(--trusted-proxies\) must be IP addresses or networks/)
    }
  })
})

describe("concurrent requests of one account", () => {
  const concurrency = (flags: Record<string, string>) =>
    loadSettings({ flags }).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
      Effect.map(({ maxConcurrentRequests, maxWaitingRequests }) => [maxConcurrentRequests, maxWaitingRequests])
    )

  it.effect("are limited by default, and never unlimited", function* () {
    assert.deepStrictEqual(yield* concurrency({}), [5, 512])
    const given = { SLIPWAY_MAX_CONCURRENT_REQUESTS: "16", SLIPWAY_MAX_WAITING_REQUESTS: "0" }
    assert.deepStrictEqual(yield* concurrency(given), [16, 0])
    for (const env of ["SLIPWAY_MAX_CONCURRENT_REQUESTS", "SLIPWAY_MAX_WAITING_REQUESTS"]) {
      for (const value of ["-1", "1.5", "many", "off", "1e9"]) {
        assert.include((yield* Effect.flip(concurrency({ [env]: value }))).message, `${env} (--max-`)
      }
    }
  })
})

describe("connections of one address", () => {
  const connections = (flags: Record<string, string>) =>
    loadSettings({ flags }).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
      Effect.map(({ maxClientConnections }) => maxClientConnections)
    )

  it.effect("are unbounded unless set", function* () {
    assert.isUndefined(yield* connections({}))
    assert.isUndefined(yield* connections({ SLIPWAY_MAX_CONNECTIONS: "off" }))
    assert.strictEqual(yield* connections({ SLIPWAY_MAX_CONNECTIONS: "200" }), 200)
    for (const value of ["0", "1.5", "many"]) {
      const { message } = yield* Effect.flip(connections({ SLIPWAY_MAX_CONNECTIONS: value }))
      assert.match(message, /^SLIPWAY_MAX_CONNECTIONS \(--max-connections\) must be a whole number/)
    }
  })
})
