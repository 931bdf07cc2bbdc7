import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Duration, Effect } from "effect"
import { IpNetwork } from "effect/net"
import { it } from "../../../core/testing/layer.ts"
import { loadSettings } from "./settings.ts"

const loadQuotas = (flags: Record<string, string>) =>
  loadSettings({ flags }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
    Effect.map(({ quotas }) => quotas)
  )

describe("quotas", () => {
  it.effect("are 50 GiB of stored bytes unless set, and none where off", function* () {
    assert.deepStrictEqual(yield* loadQuotas({}), { bytesStored: 50 * 1024 ** 3 })
    for (const off of ["off", "unlimited"]) {
      assert.deepStrictEqual(yield* loadQuotas({ SLIPWAY_QUOTA_BYTES_STORED: off }), {})
    }
  })

  it.effect("are sizes and whole numbers, also none at all", function* () {
    const given = {
      SLIPWAY_QUOTA_BYTES_STORED: "100GiB",
      SLIPWAY_QUOTA_BYTES_PER_MONTH: "1000000",
      SLIPWAY_QUOTA_PREVIEWS_PER_MONTH: "0",
      SLIPWAY_QUOTA_RUNS_PER_MONTH: "500"
    }
    const quotas = { bytesStored: 100 * 1024 ** 3, bytesPerMonth: 1_000_000, previewsPerMonth: 0, runsPerMonth: 500 }
    assert.deepStrictEqual(yield* loadQuotas(given), quotas)
  })

  it.effect.each([
    ["SLIPWAY_QUOTA_BYTES_STORED", "must be a size such as 100GiB or 1000000, or off"],
    ["SLIPWAY_QUOTA_BYTES_PER_MONTH", "must be a size such as 100GiB or 1000000, or off"],
    ["SLIPWAY_QUOTA_PREVIEWS_PER_MONTH", "must be a whole number, 0 or more, or off"],
    ["SLIPWAY_QUOTA_RUNS_PER_MONTH", "must be a whole number, 0 or more, or off"]
  ] as const)("%s that is no amount is refused by its name", function* ([env, rule]) {
    for (const value of ["-1", "1.5", "many", "NaN", "on", "9000TiB"]) {
      const { message } = yield* Effect.flip(loadQuotas({ [env]: value }))
      const flag = env.replace("SLIPWAY_", "").toLowerCase().replaceAll("_", "-")
      assert.strictEqual(message, `${env} (--${flag}) ${rule}`, value)
    }
  })
})

const loadRates = (flags: Record<string, string>) =>
  loadSettings({ flags }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
    Effect.map(({ rates, trustedProxies }) => ({ rates, trustedProxies: trustedProxies.map(IpNetwork.format) }))
  )

describe("rate limits", () => {
  it.effect("only wrong secrets are limited unless set, and no proxy is trusted", function* () {
    assert.deepStrictEqual(yield* loadRates({}), { rates: { guesses: 300 }, trustedProxies: [] })
  })

  it.effect("are numbers of requests a minute, or off", function* () {
    const given = { SLIPWAY_MAX_KEY_REQUESTS: "600", SLIPWAY_MAX_ACCOUNT_REQUESTS: "600", SLIPWAY_MAX_GUESSES: "off" }
    assert.deepStrictEqual((yield* loadRates(given)).rates, { key: 600, account: 600 })
  })

  it.effect.each(["SLIPWAY_MAX_KEY_REQUESTS", "SLIPWAY_MAX_ACCOUNT_REQUESTS", "SLIPWAY_MAX_GUESSES"])(
    "%s that is no such number is refused",
    function* (env) {
      for (const value of ["0", "-1", "1.5", "many", "1e9", "NaN", "Infinity"]) {
        const { message } = yield* Effect.flip(loadRates({ [env]: value }))
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
      (yield* Effect.flip(loadRates(given))).message,
      "SLIPWAY_MAX_KEY_REQUESTS (--max-key-requests) is 601, more than the 600 of SLIPWAY_MAX_ACCOUNT_REQUESTS (--max-account-requests)"
    )
  })

  it.effect("trusted proxies are addresses and networks", function* () {
    const { trustedProxies } = yield* loadRates({ SLIPWAY_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1,::1" })
    assert.deepStrictEqual(trustedProxies, ["10.0.0.0/8", "192.0.2.1/32", "::1/128"])
    for (const value of ["proxy.example", "10.0.0.0/33", "10.0.0.1,", "*"]) {
      const { message } = yield* Effect.flip(loadRates({ SLIPWAY_TRUSTED_PROXIES: value }))
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

/** Reads the given settings, named as in the environment, and no others. */
const load = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(loadSettings({ flags: {} }), ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

describe("the settings of retention", () => {
  it.effect(
    "expire histories after 400 days and nothing else unless they are set, and sweep every ten minutes",
    function* () {
      const { keepAudit, retention, sweep } = yield* load({})
      assert.deepStrictEqual(retention, { histories: Duration.days(400) })
      assert.strictEqual(keepAudit, "forever")
      assert.deepStrictEqual(
        [sweep.every, sweep.grace].map((time) => time && Duration.toMillis(time)),
        [600_000, 86_400_000]
      )
      assert.strictEqual((1000 * sweep.batch) / Duration.toMillis(sweep.pause), 100)
    }
  )

  it.effect("are read as people write them", function* () {
    const { keepAudit, retention, sweep } = yield* load({
      SLIPWAY_KEEP_AUDIT: "365d",
      SLIPWAY_KEEP_PREVIEWS: "90d",
      SLIPWAY_KEEP_RUNS: "30d",
      SLIPWAY_KEEP_HISTORIES: "500d",
      SLIPWAY_KEEP_BUILDS: "forever",
      SLIPWAY_KEEP_BUILDS_PER_BRANCH: "20",
      SLIPWAY_SWEEP_INTERVAL: "off",
      SLIPWAY_SWEEP_RATE: "10"
    })
    const [previews, runs] = [Duration.days(90), Duration.days(30)]
    const histories = Duration.days(500)
    assert.deepStrictEqual(retention, { previews, runs, histories, builds: "forever", buildsPerBranch: 20 })
    assert.deepStrictEqual(keepAudit, Duration.days(365))
    assert.isUndefined(sweep.every)
    assert.strictEqual((1000 * sweep.batch) / Duration.toMillis(sweep.pause), 10)
  })

  for (const [env, said] of [
    [
      { SLIPWAY_KEEP_PREVIEWS: "soon" },
      "SLIPWAY_KEEP_PREVIEWS (--keep-previews) must be a duration such as 90d, or forever"
    ],
    [{ SLIPWAY_KEEP_PREVIEWS: "10m" }, "SLIPWAY_KEEP_PREVIEWS (--keep-previews) must be 1h or longer"],
    [
      { SLIPWAY_KEEP_BUILDS_PER_BRANCH: "0" },
      "SLIPWAY_KEEP_BUILDS_PER_BRANCH (--keep-builds-per-branch) must be a whole number"
    ],
    [
      { SLIPWAY_KEEP_BUILDS_PER_BRANCH: "few" },
      "SLIPWAY_KEEP_BUILDS_PER_BRANCH (--keep-builds-per-branch) must be a whole number"
    ],
    [
      { SLIPWAY_KEEP_PREVIEWS: "30d", SLIPWAY_KEEP_RUNS: "31d" },
      "SLIPWAY_KEEP_RUNS (--keep-runs) must not be longer than previews"
    ],
    [{ SLIPWAY_KEEP_BILLED: "30d" }, "SLIPWAY_KEEP_BILLED (--keep-billed) must be 62d or longer"],
    [{ SLIPWAY_KEEP_AUDIT: "30" }, "SLIPWAY_KEEP_AUDIT (--keep-audit) must be a duration of 1d or longer"],
    [{ SLIPWAY_KEEP_AUDIT: "1h" }, "SLIPWAY_KEEP_AUDIT (--keep-audit) must be a duration of 1d or longer"],
    [{ SLIPWAY_SWEEP_INTERVAL: "2d" }, "SLIPWAY_SWEEP_INTERVAL (--sweep-interval) must be a duration from 1s to 1d"],
    [{ SLIPWAY_SWEEP_RATE: "0" }, "SLIPWAY_SWEEP_RATE (--sweep-rate) must be a whole number"]
  ] as const) {
    it.effect(`are refused by name: ${JSON.stringify(env)}`, function* () {
      const refused = yield* Effect.flip(load(env))
      assert.isTrue(refused.message.startsWith(said), refused.message)
    })
  }
})
