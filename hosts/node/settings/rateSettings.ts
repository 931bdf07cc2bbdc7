import { Config, Data, Effect, Schema } from "effect"
import { defaultRates, type Rates } from "../../../core/rules/limits.ts"
import { defaultSettings } from "../../../core/service/Settings.ts"
import { networks, refine } from "./settingValues.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"

/** Two settings that can't both hold. */
export class Contradiction extends Data.TaggedError("Contradiction")<{
  readonly env: string
  readonly message: string
  readonly other: string
}> {}

const [perKey, perAccount, guesses, concurrent, waiting, proxies, connections] = [
  "SLIPWAY_MAX_KEY_REQUESTS",
  "SLIPWAY_MAX_ACCOUNT_REQUESTS",
  "SLIPWAY_MAX_GUESSES",
  "SLIPWAY_MAX_CONCURRENT_REQUESTS",
  "SLIPWAY_MAX_WAITING_REQUESTS",
  "SLIPWAY_TRUSTED_PROXIES",
  "SLIPWAY_MAX_CONNECTIONS"
] as const

/** The settings of rate limits, each with its description. */
export const rateSettingNames: ReadonlyArray<readonly [env: string, description: string]> = [
  [perKey, "Most requests a minute with one key, or off (off)"],
  [perAccount, "Most requests a minute of one account, or off (off)"],
  [guesses, `Most wrong keys and share links a minute from one address, or off (${defaultRates.guesses})`],
  [
    concurrent,
    `Most requests of one account that a host processes at once; others wait (${defaultSettings.maxConcurrentRequests})`
  ],
  [waiting, `Most waiting requests of one account on a host (${defaultSettings.maxWaitingRequests})`],
  [connections, "Most open connections of one client address, or off; without effect with trusted proxies (off)"],
  [proxies, "Addresses or networks of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8,::1 (none)"]
]

const perMinute = refine(
  Schema.Union([
    Schema.Literal("off"),
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 10_000_000 }))
  ]),
  "must be a whole number of requests a minute, 1 or more, or off"
)

const rate = (env: string, fallback: number | undefined) =>
  Config.schema(perMinute, env).pipe(
    Config.map((value) => (value === "off" ? undefined : value)),
    Config.withDefault(fallback)
  )

/** The rate limits. A limit per key above the limit per account is a contradiction. */
export const rateSettings: Effect.Effect<Rates, Config.ConfigError | Contradiction> = Effect.gen(function* () {
  const key = yield* rate(perKey, defaultRates.key)
  const account = yield* rate(perAccount, defaultRates.account)
  if (key !== undefined && account !== undefined && key > account) {
    return yield* new Contradiction({
      env: perKey,
      message: `is ${key}, more than the ${account} of`,
      other: perAccount
    })
  }
  return withoutUndefined({ key, account, guesses: yield* rate(guesses, defaultRates.guesses) })
})

const count = (env: string, least: number, fallback: number) =>
  Config.schema(
    refine(
      Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: least, maximum: 10_000 })),
      `must be a whole number from ${least} to 10000`
    ),
    env
  ).pipe(Config.withDefault(fallback))

/** How many requests of an account are processed at once, and how many may wait. */
export const maxConcurrentRequests = count(concurrent, 1, defaultSettings.maxConcurrentRequests)
export const maxWaitingRequests = count(waiting, 0, defaultSettings.maxWaitingRequests)

/** Most open connections of one client address; `undefined` for any number. */
export const maxClientConnections = Config.schema(
  refine(
    Schema.Union([
      Schema.Literal("off"),
      Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
    ]),
    "must be a whole number from 1 to 1000000, or off"
  ),
  connections
).pipe(
  Config.map((value) => (value === "off" ? undefined : value)),
  Config.withDefault(undefined)
)

/** Proxies whose `X-Forwarded-For` is trusted. */
export const trustedProxies = networks(proxies)
