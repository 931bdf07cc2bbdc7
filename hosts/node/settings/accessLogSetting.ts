import { Config, Schema } from "effect"
import { refine } from "./settingValues.ts"

const env = "SLIPWAY_ACCESS_LOG"

/** The setting of the access log, with its description. */
export const accessLogSettingName = [
  env,
  "Which requests have a line in the log: off, all, or a share of them such as 0.1 (off)"
] as const

const format = "SLIPWAY_LOG_FORMAT"

/** How the log is written: lines of logfmt, or a JSON object in each line. */
export type LogFormat = "text" | "json"

/** The setting of the format of the log, with its description. */
export const logFormatSettingName = [format, "Format of the log: text for logfmt, or json (text)"] as const

/** The format of the log. */
export const logFormatSetting: Config.Config<LogFormat> = Config.schema(
  refine(Schema.Literals(["text", "json"]), "must be text or json"),
  format
).pipe(Config.withDefault("text" as const))

/** The share of requests that the access log lists, above 0 and at most 1; `undefined` for none. */
export const accessLogSetting: Config.Config<number | undefined> = Config.schema(
  refine(
    Schema.Union([
      Schema.Literals(["off", "all"]),
      Schema.NumberFromString.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1))
    ]),
    "must be off, all, or a share of requests above 0 and at most 1, such as 0.1"
  ),
  env
).pipe(
  Config.withDefault("off" as const),
  Config.map((value) => (value === "off" ? undefined : value === "all" ? 1 : value))
)
