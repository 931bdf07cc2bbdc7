/** The settings of quotas, of request rates, and of retention with its sweeps. */
import { ByteSize, Config, Data, Duration, Effect, Schema } from "effect"
import { type QuotaName, type Quotas, RetentionPeriod } from "../../../core/model/Account.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { defaultQuotas, defaultRates, type Rates } from "../../../core/rules/limits.ts"
import { defaultSettings } from "../../../core/service/Settings.ts"
import { ByteCount, duration, DurationText, networks, optional, refine, whole } from "./settingValues.ts"

const largest = Number.MAX_SAFE_INTEGER - 1
// An empty text, such as a variable of a shell that isn't set, would be 0.
const number = Schema.String.check(Schema.isPattern(/\d/)).pipe(
  Schema.decodeTo(Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: largest })))
)

/** An amount of bytes; unlimited is `undefined`. */
export const quotaBytes = refine(
  Schema.Union([Schema.Literals(["off", "unlimited"]), number, ByteCount]),
  "must be a size such as 100GiB or 1000000, or off"
)

/** A count. */
export const quotaCount = refine(
  Schema.Union([Schema.Literals(["off", "unlimited"]), number]),
  "must be a whole number, 0 or more, or off"
)

/** What was written as an amount. */
type WrittenAmount = typeof quotaBytes.Type

/** An amount as a number; `undefined` has no end. */
export const amountOf = (written: WrittenAmount): number | undefined => {
  if (written === "off" || written === "unlimited") return undefined
  return typeof written === "number" ? written : ByteSize.toNumberUnsafe(written)
}

const settings: Readonly<Record<QuotaName, readonly [env: string, description: string]>> = {
  bytesStored: ["SLIPWAY_QUOTA_BYTES_STORED", "Most bytes that an account may store, such as 100GiB, or off (50GiB)"],
  bytesPerMonth: ["SLIPWAY_QUOTA_BYTES_PER_MONTH", "Most bytes that an account may upload in a month (off)"],
  previewsPerMonth: ["SLIPWAY_QUOTA_PREVIEWS_PER_MONTH", "Most previews that an account may make in a month (off)"],
  runsPerMonth: ["SLIPWAY_QUOTA_RUNS_PER_MONTH", "Most test runs that an account may register in a month (off)"]
}

/** The settings of quotas, each with its description. */
export const quotaSettingNames = Object.values(settings)

const quota = (name: QuotaName) =>
  Config.schema(name.startsWith("bytes") ? quotaBytes : quotaCount, settings[name][0]).pipe(
    Config.map(amountOf),
    Config.withDefault(defaultQuotas[name])
  )

/** The quotas of accounts without their own. */
export const quotaSettings: Effect.Effect<Quotas, Config.ConfigError> = Effect.gen(function* () {
  return withoutUndefined({
    bytesStored: yield* quota("bytesStored"),
    bytesPerMonth: yield* quota("bytesPerMonth"),
    previewsPerMonth: yield* quota("previewsPerMonth"),
    runsPerMonth: yield* quota("runsPerMonth")
  })
})

/** Two settings that can't both hold. */
export class Contradiction extends Data.TaggedError("Contradiction")<{
  readonly env: string
  readonly message: string
  readonly other: string
}> {}

const [perKey, perAccount, guesses, concurrent, waiting, connections] = [
  "SLIPWAY_MAX_KEY_REQUESTS",
  "SLIPWAY_MAX_ACCOUNT_REQUESTS",
  "SLIPWAY_MAX_GUESSES",
  "SLIPWAY_MAX_CONCURRENT_REQUESTS",
  "SLIPWAY_MAX_WAITING_REQUESTS",
  "SLIPWAY_MAX_CONNECTIONS"
] as const

/** Names the proxies whose headers are trusted. */
export const proxies = "SLIPWAY_TRUSTED_PROXIES"

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

/** A retention time, as people write it: `90d`, or `forever`. */
export const RetentionPeriodText = Schema.Union([Schema.Literal("forever"), DurationText])

/** How many builds are kept, as people write it. */
export const RetentionCountText = Schema.Union([Schema.Literal("all"), Schema.NumberFromString.check(Schema.isInt())])

/** The setting of each rule of retention. */
export const ruleSettings = {
  previews: "SLIPWAY_KEEP_PREVIEWS",
  runs: "SLIPWAY_KEEP_RUNS",
  histories: "SLIPWAY_KEEP_HISTORIES",
  builds: "SLIPWAY_KEEP_BUILDS",
  buildsPerBranch: "SLIPWAY_KEEP_BUILDS_PER_BRANCH",
  billed: "SLIPWAY_KEEP_BILLED"
} as const

const keptFor = (name: string): Config.Config<RetentionPeriod | undefined> =>
  optional(Config.schema(refine(RetentionPeriodText, "must be a duration such as 90d, or forever"), name))

export const retentionSettings = Config.all({
  previews: keptFor(ruleSettings.previews),
  runs: keptFor(ruleSettings.runs),
  histories: keptFor(ruleSettings.histories),
  builds: keptFor(ruleSettings.builds),
  buildsPerBranch: optional(
    Config.schema(refine(RetentionCountText, "must be a whole number, 1 or more, or all"), ruleSettings.buildsPerBranch)
  ),
  billed: keptFor(ruleSettings.billed)
}).pipe(Config.map((rules) => ({ ...defaultSettings.retention, ...withoutUndefined(rules) })))

/** How long the audit log is kept. */
export const auditSetting = Config.schema(
  refine(
    Schema.Union([
      Schema.Literal("forever"),
      DurationText.check(
        Schema.makeFilter((value: Duration.Duration) => Duration.isGreaterThanOrEqualTo(value, Duration.days(1)))
      )
    ]),
    "must be a duration of 1d or longer, such as 365d, or forever"
  ),
  "SLIPWAY_KEEP_AUDIT"
).pipe(Config.withDefault(defaultSettings.keepAudit))

const { sweep } = defaultSettings

export const sweepSettings = Config.all({
  every: Config.schema(
    refine(
      Schema.Union([
        Schema.Literal("off"),
        DurationText.check(
          Schema.makeFilter((value: Duration.Duration) =>
            Duration.between(value, { minimum: Duration.seconds(1), maximum: Duration.days(1) })
          )
        )
      ]),
      "must be a duration from 1s to 1d, such as 10m, or off"
    ),
    "SLIPWAY_SWEEP_INTERVAL"
  ).pipe(
    Config.withDefault(sweep.every),
    Config.map((every) => (every === "off" ? undefined : every))
  ),
  grace: duration(
    "SLIPWAY_SWEEP_GRACE",
    Duration.seconds(1),
    Duration.days(365),
    "must be a duration from 1s to 365d, such as 24h",
    sweep.grace
  ),
  rate: Config.schema(whole(1, 100_000, "must be a whole number from 1 to 100000"), "SLIPWAY_SWEEP_RATE").pipe(
    Config.withDefault(100)
  )
}).pipe(
  Config.map(({ every, grace, rate }) => {
    const batch = Math.min(sweep.batch, rate)
    return { every, grace, batch, pause: Duration.millis((1000 * batch) / rate) }
  })
)
