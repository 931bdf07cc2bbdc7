/** The settings of retention and garbage collection. */
import { Config, Duration, Schema } from "effect"
import { RetentionPeriod } from "../../../core/model/Account.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { defaultSettings } from "../../../core/service/Settings.ts"
import { DurationText } from "./durationText.ts"
import { duration, optional, refine, whole } from "./settingValues.ts"

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
