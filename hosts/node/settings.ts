/**
 * The settings of the process. Each is an environment variable, a flag of `slipway serve` and a key of
 * `slipway.config.json`; flag beats environment beats file.
 */
import { ByteSize, Config, ConfigProvider, Data, Duration, Effect, Option, Redacted, Schema, SchemaIssue } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { defaultLimits } from "../../core/rules/limits.ts"
import type { Limits } from "../../core/rules/limits.ts"
import { DurationText } from "./durationText.ts"

/** A setting that doesn't fit, in one line that names it. */
export class SettingRefused extends Data.TaggedError("SettingRefused")<{ readonly message: string }> {}

/** One setting by its three names. */
export interface SettingName {
  readonly env: string
  readonly flag: string
  readonly key: string
  readonly description: string
}

const setting = (env: string, description: string): SettingName => {
  const words = env
    .replace(/^SLIPWAY_/, "")
    .toLowerCase()
    .split("_")
  return {
    env,
    description,
    flag: words.join("-"),
    key: words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("")
  }
}

/** Every setting there is. */
export const settingNames: ReadonlyArray<SettingName> = [
  setting("SLIPWAY_HOST", "Address to listen on (127.0.0.1)"),
  setting("SLIPWAY_PORT", "Port to listen on; 0 takes a free one (8787)"),
  setting("SLIPWAY_DATA", "Data folder of the embedded engines (./.slipway)"),
  setting("SLIPWAY_URL", "Public base URL (the listening address)"),
  setting("SLIPWAY_VIEWER_URL", "Base URL of the viewer (the public base URL)"),
  setting("SLIPWAY_SECRET", "Signs URLs and sessions; the same on every host (made once, kept in the data folder)"),
  setting("SLIPWAY_RESERVATION_TTL", "Life of a reservation, 1m to 24h (1h)"),
  setting("SLIPWAY_SHUTDOWN_TIMEOUT", "How long requests in flight may take when the host stops (20s)"),
  setting("SLIPWAY_MAX_BODY_SIZE", "Largest JSON body (1MiB)"),
  setting("SLIPWAY_MAX_BUNDLE_SIZE", "Largest bundle (512MiB)"),
  setting("SLIPWAY_MAX_FILE_SIZE", "Largest file (512MiB)"),
  setting("SLIPWAY_MAX_TOTAL_SIZE", "Most bytes of one reservation together (2GiB)"),
  setting("SLIPWAY_MAX_FILES", "Most files of one reservation (1000)"),
  setting("SLIPWAY_MAX_RECORDINGS", "Most recordings of one reservation (100)"),
  setting(
    "SLIPWAY_MAX_DECOMPRESSED_SIZE",
    "Most bytes that the gzip content of one reservation may decompress to (2GiB)"
  )
]

/** The settings as the process uses them. */
export interface ProcessSettings {
  readonly host: string
  readonly port: number
  readonly data: string
  readonly url: string | undefined
  readonly viewerUrl: string | undefined
  readonly secret: Redacted.Redacted | undefined
  readonly reservationTtl: Duration.Duration
  readonly shutdownTimeout: Duration.Duration
  readonly maxBodyBytes: number
  readonly decompressedBytes: number
  readonly limits: Limits
}

const refine = <A>(schema: Schema.Codec<A, string>, message: string) =>
  schema.pipe(Schema.catchDecoding(() => Effect.fail(new SchemaIssue.InvalidValue({ message }))))

const whole = (minimum: number, maximum: number, message: string) =>
  refine(Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })), message)

const size = refine(
  Schema.Union([Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThan(0)), Schema.ByteSizeFromString]),
  "must be a size such as 512MiB or 1000000"
)

const url = refine(
  Schema.String.check(
    Schema.isPattern(/^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/),
    Schema.makeFilter((value: string) => URL.canParse(value))
  ),
  "must be an http or https URL without query or fragment"
)

const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

const bytes = (name: string, fallback: number) =>
  Config.schema(size, name).pipe(
    Config.map((value) => (typeof value === "number" ? value : ByteSize.toNumberUnsafe(value))),
    Config.withDefault(fallback)
  )

const duration = (
  name: string,
  minimum: Duration.Duration,
  maximum: Duration.Duration,
  message: string,
  fallback: Duration.Duration
) =>
  Config.schema(
    refine(
      DurationText.check(
        Schema.makeFilter((value: Duration.Duration) => Duration.between(value, { minimum, maximum }))
      ),
      message
    ),
    name
  ).pipe(Config.withDefault(fallback))

const count = (name: string, fallback: number) =>
  Config.schema(whole(0, 100_000, "must be a whole number up to 100000"), name).pipe(Config.withDefault(fallback))

const config: Config.Config<ProcessSettings> = Config.all({
  host: Config.String("SLIPWAY_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(whole(0, 65535, "must be a port, 0 to 65535"), "SLIPWAY_PORT").pipe(Config.withDefault(8787)),
  data: Config.String("SLIPWAY_DATA").pipe(Config.withDefault("./.slipway")),
  url: optional(Config.schema(url, "SLIPWAY_URL")),
  viewerUrl: optional(Config.schema(url, "SLIPWAY_VIEWER_URL")),
  secret: optional(
    Config.schema(
      refine(Schema.String.check(Schema.isMinLength(16)), "must be at least 16 characters"),
      "SLIPWAY_SECRET"
    ).pipe(Config.map((value) => Redacted.make(value)))
  ),
  reservationTtl: duration(
    "SLIPWAY_RESERVATION_TTL",
    Duration.minutes(1),
    Duration.hours(24),
    "must be a duration from 1m to 24h, such as 90m",
    Duration.hours(1)
  ),
  shutdownTimeout: duration(
    "SLIPWAY_SHUTDOWN_TIMEOUT",
    Duration.zero,
    Duration.hours(1),
    "must be a duration up to 1h, such as 20s",
    Duration.seconds(20)
  ),
  maxBodyBytes: bytes("SLIPWAY_MAX_BODY_SIZE", 1024 ** 2),
  decompressedBytes: bytes("SLIPWAY_MAX_DECOMPRESSED_SIZE", 2 * 1024 ** 3),
  limits: Config.all({
    bundleBytes: bytes("SLIPWAY_MAX_BUNDLE_SIZE", defaultLimits.bundleBytes),
    fileBytes: bytes("SLIPWAY_MAX_FILE_SIZE", defaultLimits.fileBytes),
    totalBytes: bytes("SLIPWAY_MAX_TOTAL_SIZE", defaultLimits.totalBytes),
    files: count("SLIPWAY_MAX_FILES", defaultLimits.files),
    recordings: count("SLIPWAY_MAX_RECORDINGS", defaultLimits.recordings)
  })
})

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const refused = (error: Config.ConfigError): SettingRefused => {
  if (error.cause._tag !== "SchemaError") return new SettingRefused({ message: error.message })
  const [issue] = formatIssues(error.cause.issue).issues
  const env = String(issue?.path?.[0] ?? "")
  const name = settingNames.find((one) => one.env === env)
  return new SettingRefused({ message: `${env} (--${name?.flag}) ${issue?.message ?? "does not fit"}` })
}

/** The keys of a config file under the names of their environment variables. */
const fileValues = (path: string, required: boolean): Effect.Effect<Record<string, string>, SettingRefused> =>
  Effect.gen(function* () {
    if (!required && !existsSync(path)) return {}
    const text = yield* Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: () => new SettingRefused({ message: `The config file ${path} can't be read` })
    })
    const values = yield* Schema.decodeEffect(FileValues)(text).pipe(
      Effect.mapError(
        () => new SettingRefused({ message: `${path} must be a JSON object of strings, numbers and booleans` })
      )
    )
    const entries = yield* Effect.forEach(Object.entries(values), ([key, value]) => {
      const name = settingNames.find((one) => one.key === key)
      return name === undefined
        ? Effect.fail(new SettingRefused({ message: `${path} has the key ${key}, which is no setting` }))
        : Effect.succeed([name.env, String(value)] as const)
    })
    return Object.fromEntries(entries)
  })

const FileValues = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
)

/**
 * Reads the settings. `flags` are values by environment name; `configFile` is read when given, else
 * `slipway.config.json` if there is one.
 */
export const loadSettings = (options: {
  readonly flags: Readonly<Record<string, string>>
  readonly configFile?: string | undefined
}): Effect.Effect<ProcessSettings, SettingRefused> =>
  Effect.gen(function* () {
    const file = yield* fileValues(options.configFile ?? "slipway.config.json", options.configFile !== undefined)
    const provider = ConfigProvider.fromUnknown(options.flags).pipe(
      ConfigProvider.orElse(yield* ConfigProvider.ConfigProvider),
      ConfigProvider.orElse(ConfigProvider.fromUnknown(file))
    )
    return yield* Effect.mapError(Effect.provide(config, ConfigProvider.layer(provider)), refused)
  })
