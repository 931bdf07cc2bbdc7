/**
 * The settings of the process. Each is an environment variable, a flag of `slipway serve` and a key of
 * `slipway.config.json`; a flag overrides the environment, which overrides the file.
 */
import {
  Array as Arr,
  Config,
  ConfigProvider,
  Data,
  Duration,
  Effect,
  Redacted,
  Schema,
  SchemaIssue,
  String as Str
} from "effect"
import type { IpNetwork } from "effect/net"
import { existsSync, readFileSync, statSync } from "node:fs"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { WebhookUrl, webhookUrlRule } from "../../../core/rules/events.ts"
import { imageType, isOrigin, isSiteName, logoRule, originsRule, siteNameRule } from "../../../core/rules/site.ts"
import { refuseRules } from "../../../core/rules/sweeps.ts"
import { defaultSettings, type SettingsShape } from "../../../core/service/Settings.ts"
import type { Target } from "../../../core/service/webhooks.ts"
import { engineSettings, type EngineSettings, SettingAlone } from "./engineSettings.ts"
import {
  auditSetting,
  type Contradiction,
  maxClientConnections,
  maxConcurrentRequests,
  maxWaitingRequests,
  quotaSettingNames,
  quotaSettings,
  rateSettingNames,
  rateSettings,
  retentionSettings,
  ruleSettings,
  sweepSettings,
  trustedProxies
} from "./limitSettings.ts"
import { oidcSettings, type OidcSettings } from "./oidcSettings.ts"
import { bytes, count, duration, networks, optional, refine, url, whole } from "./settingValues.ts"

const env = "SLIPWAY_ACCESS_LOG"

/** The setting of the access log, with its description. */
const accessLogSettingName = [
  env,
  "Which requests have a line in the log: off, all, or a share of them such as 0.1 (off)"
] as const

const format = "SLIPWAY_LOG_FORMAT"

/** How the log is written: lines of logfmt, or a JSON object in each line. */
export type LogFormat = "text" | "json"

/** The setting of the format of the log, with its description. */
const logFormatSettingName = [format, "Format of the log: text for logfmt, or json (text)"] as const

/** The format of the log. */
const logFormatSetting: Config.Config<LogFormat> = Config.schema(
  refine(Schema.Literals(["text", "json"]), "must be text or json"),
  format
).pipe(Config.withDefault("text" as const))

/** The share of requests that the access log lists, above 0 and at most 1; `undefined` for none. */
const accessLogSetting: Config.Config<number | undefined> = Config.schema(
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

/** The address of the listener for metrics. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

const [port, host] = ["SLIPWAY_METRICS_PORT", "SLIPWAY_METRICS_HOST"] as const

/** The settings of the listener for metrics, with their descriptions. */
const metricsSettingNames = [
  [port, "Port for GET /metrics; 0 chooses a free one (no metrics)"],
  [host, "Address to listen on for metrics (127.0.0.1)"]
] as const

/** Where metrics are served; nowhere without a port. */
const metricsSetting: Config.Config<MetricsAddress | undefined> = Config.all({
  host: Config.String(host).pipe(Config.withDefault("127.0.0.1")),
  port: optional(Config.schema(whole(0, 65535, "must be a port, 0 to 65535"), port))
}).pipe(Config.map(({ host, port }) => (port === undefined ? undefined : { host, port })))

/** As Standard Webhooks has it: 24 to 64 bytes in base64. */
const isSecret = (value: string): boolean => {
  const [, text = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(text, "base64")
  return bytes.toString("base64") === text && bytes.length >= 24 && bytes.length <= 64
}

/** Names networks that webhooks may reach although they are not public. */
export const allowedNetworksSetting = "SLIPWAY_WEBHOOK_ALLOWED_NETWORKS"

/** The networks that webhooks may reach although they are not public. */
const webhookNetworks = networks(allowedNetworksSetting)

const [webhookUrl, webhookSecret] = ["SLIPWAY_WEBHOOK_URL", "SLIPWAY_WEBHOOK_SECRET"] as const

const webhookConfig = Config.all({
  url: optional(Config.schema(refine(WebhookUrl, webhookUrlRule), webhookUrl)),
  secret: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.makeFilter(isSecret)),
        "must be whsec_ and 24 to 64 random bytes in base64, such as openssl rand -base64 32 makes"
      ),
      webhookSecret
    )
  )
})

/** Reads the settings of the webhook; none unless both are given. */
const webhookSettings: Effect.Effect<Target | undefined, Config.ConfigError | SettingAlone> = Effect.gen(function* () {
  const given = yield* webhookConfig
  if (given.url === undefined && given.secret === undefined) return undefined
  if (given.url === undefined) return yield* new SettingAlone({ env: webhookSecret, needs: webhookUrl })
  if (given.secret === undefined) return yield* new SettingAlone({ env: webhookUrl, needs: webhookSecret })
  return { url: given.url, secret: Redacted.make(given.secret) }
})

/** An invalid setting, in one line that names it. */
export class SettingRefused extends Data.TaggedError("SettingRefused")<{ readonly message: string }> {}

/** One setting with its three names. */
interface SettingName {
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

/** Every setting. */
export const settingNames: ReadonlyArray<SettingName> = [
  setting("SLIPWAY_HOST", "Address to listen on (127.0.0.1)"),
  setting("SLIPWAY_PORT", "Port to listen on; 0 chooses a free one (8787)"),
  setting("SLIPWAY_DATA", "Data folder of the embedded engines (./.slipway)"),
  setting("SLIPWAY_URL", "Public base URL (the listening address)"),
  setting("SLIPWAY_VIEWER_URL", "Base URL of the viewer (the public base URL)"),
  setting("SLIPWAY_CONTENT_URL", "Base URL of what was uploaded, on another host name (the viewer's)"),
  setting("SLIPWAY_SITE_NAME", "Name of the site in the header and the titles of pages (Slipway)"),
  setting("SLIPWAY_SITE_LOGO", "File of the logo beside it: PNG, JPEG or WebP of at most 100 kB (Slipway's)"),
  setting("SLIPWAY_FRAME_ANCESTORS", "Origins whose pages may frame apps, with commas between them (none)"),
  setting(
    "SLIPWAY_SECRET",
    "Signs URLs; the same on every host. NEW,OLD accepts what OLD signed (made once, kept in the data folder)"
  ),
  setting(
    "DATABASE_URL",
    "PostgreSQL to use, postgres://user:password@host:5432/database, or a SQLite file, sqlite:/path (in the data folder)"
  ),
  setting("SLIPWAY_DATABASE_CONNECTIONS", "Most connections of this host to PostgreSQL (10)"),
  setting("SLIPWAY_S3_BUCKET", "S3 bucket to use; credentials come as for the AWS SDK (embedded)"),
  setting("SLIPWAY_S3_ENDPOINT", "URL of the S3 server (AWS's for the region)"),
  setting("SLIPWAY_S3_REGION", "Region of the bucket (the AWS SDK's)"),
  setting("SLIPWAY_S3_PREFIX", "Put before every key in the bucket, such as slipway/ (nothing)"),
  setting("SLIPWAY_S3_FORCE_PATH_STYLE", "true for a server that has no name for each bucket (false)"),
  setting(
    "SLIPWAY_S3_UPLOADS",
    "Where clients PUT to: direct, to the bucket; or host, which passes the bytes on (direct)"
  ),
  setting("SLIPWAY_SENDFILE", "Whether the proxy sends stored files: off, or x-accel-redirect (off)"),
  setting("SLIPWAY_WEBHOOK_URL", "Where to POST events to (nowhere)"),
  setting("SLIPWAY_WEBHOOK_SECRET", "Signs them: whsec_ and 24 to 64 random bytes in base64"),
  setting(
    "SLIPWAY_WEBHOOK_ALLOWED_NETWORKS",
    "Networks that webhooks may reach although they are not public, such as 10.0.0.0/8 (none)"
  ),
  setting("SLIPWAY_OIDC_ISSUER", "OpenID Connect provider by which people sign in to the pages (keys alone)"),
  setting("SLIPWAY_OIDC_CLIENT_ID", "What this host is called there"),
  setting("SLIPWAY_OIDC_CLIENT_SECRET", "The secret of this host there"),
  setting(
    "SLIPWAY_OIDC_ACCOUNTS",
    "Its groups and their accounts, such as mobile=acme,qa=acme:test_runs+preview_upload"
  ),
  setting("SLIPWAY_OIDC_GROUPS_CLAIM", "The claim that has a person's groups (groups)"),
  setting("SLIPWAY_OIDC_SCOPE", "OAuth scope to ask for (openid email)"),
  setting("SLIPWAY_OIDC_SESSION", "How long a person stays signed in, 1m to 7d (8h)"),
  setting("SLIPWAY_RESERVATION_TTL", "Life of a reservation, 1m to 24h (1h)"),
  setting("SLIPWAY_KEEP_PREVIEWS", "How long previews are kept, such as 90d (forever)"),
  setting("SLIPWAY_KEEP_RUNS", "How long test runs are kept, no longer than previews (forever)"),
  setting("SLIPWAY_KEEP_HISTORIES", "How long histories of tests are kept after the last run (400d)"),
  setting("SLIPWAY_KEEP_BUILDS", "How long ready builds are kept; the latest of each branch stays (forever)"),
  setting("SLIPWAY_KEEP_BUILDS_PER_BRANCH", "How many ready builds of each branch, platform and app are kept (all)"),
  setting("SLIPWAY_KEEP_BILLED", "How long billing records are kept, 62d or longer (forever)"),
  setting("SLIPWAY_KEEP_AUDIT", "How long the audit log is kept, 1d or longer (forever)"),
  setting(
    "SLIPWAY_SWEEP_INTERVAL",
    "How often resources expire and garbage is collected, 1s to 1d; off for never (10m)"
  ),
  setting("SLIPWAY_SWEEP_GRACE", "How long after its end something is still there, 1s to 365d (24h)"),
  setting("SLIPWAY_SWEEP_RATE", "Most uploads that a sweep deletes in a second (100)"),
  setting("SLIPWAY_SHUTDOWN_TIMEOUT", "How long requests in flight may take when the host stops (20s)"),
  setting(...accessLogSettingName),
  setting(...logFormatSettingName),
  ...metricsSettingNames.map(([env, description]) => setting(env, description)),
  setting("SLIPWAY_BACKUPS", "Folder of the backups, whose age metrics and doctor report (none)"),
  setting("SLIPWAY_DOCS", "Whether the reference of the API is served at /docs: on or off (on)"),
  setting("SLIPWAY_MAX_BODY_SIZE", "Largest JSON body (1MiB)"),
  setting("SLIPWAY_MAX_BUNDLE_SIZE", "Largest bundle (512MiB)"),
  setting("SLIPWAY_MAX_FILE_SIZE", "Largest file (512MiB)"),
  setting("SLIPWAY_MAX_TOTAL_SIZE", "Most bytes of one reservation together (2GiB)"),
  setting("SLIPWAY_MAX_FILES", "Most files of one reservation (1000)"),
  setting("SLIPWAY_MAX_RECORDINGS", "Most recordings of one reservation (100)"),
  setting("SLIPWAY_MAX_OPEN_RESERVATIONS", "Most open reservations of one account (1000)"),
  ...[...rateSettingNames, ...quotaSettingNames].map(([env, description]) => setting(env, description)),
  setting(
    "SLIPWAY_MAX_DECOMPRESSED_SIZE",
    "Most bytes that the gzip content of one reservation may decompress to (2GiB)"
  )
]

/** The settings as the process uses them. */
export interface ProcessSettings
  extends
    EngineSettings,
    Pick<
      SettingsShape,
      | "decompressedBytes"
      | "docs"
      | "frameAncestors"
      | "keepAudit"
      | "limits"
      | "maxConcurrentRequests"
      | "maxWaitingRequests"
      | "openReservations"
      | "quotas"
      | "rates"
      | "reservationTtl"
      | "retention"
      | "siteLogo"
      | "siteName"
      | "sweep"
    > {
  /** The provider by which people sign in to the pages, beside keys. */
  readonly oidc: OidcSettings | undefined
  readonly host: string
  readonly port: number
  readonly data: string
  readonly url: string | undefined
  readonly viewerUrl: string | undefined
  readonly contentUrl: string | undefined
  readonly secret: SigningSecret | undefined
  readonly shutdownTimeout: Duration.Duration
  readonly maxBodyBytes: number
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  readonly webhook: Target | undefined
  /** The networks that webhooks may reach although they are not public. */
  readonly webhookNetworks: ReadonlyArray<IpNetwork.IpNetwork>
  /** Most open connections of one client address; `undefined` for any number. */
  readonly maxClientConnections: number | undefined
  /** The share of requests that the access log lists, above 0 and at most 1; `undefined` for no access log. */
  readonly accessLog: number | undefined
  readonly logFormat: LogFormat
  /** Where `/metrics` is served; `undefined` for nowhere. */
  readonly metrics: MetricsAddress | undefined
  /** The folder of the backups, whose age metrics and doctor report; `undefined` if this machine doesn't have them. */
  readonly backups: string | undefined
}

/** A file that may be too large for a logo; empty if it can't be read. */
const logoIn = (file: string): Uint8Array => {
  try {
    return statSync(file).size > 2 ** 20 ? new Uint8Array() : readFileSync(file)
  } catch {
    return new Uint8Array()
  }
}

const config: Config.Config<
  Omit<ProcessSettings, keyof EngineSettings | "oidc" | "quotas" | "rates" | "retention" | "sweep" | "webhook">
> = Config.all({
  host: Config.String("SLIPWAY_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(whole(0, 65535, "must be a port, 0 to 65535"), "SLIPWAY_PORT").pipe(Config.withDefault(8787)),
  data: Config.String("SLIPWAY_DATA").pipe(Config.withDefault("./.slipway")),
  url: optional(Config.schema(url, "SLIPWAY_URL")),
  viewerUrl: optional(Config.schema(url, "SLIPWAY_VIEWER_URL")),
  contentUrl: optional(Config.schema(url, "SLIPWAY_CONTENT_URL")),
  frameAncestors: Config.schema(
    refine(
      Schema.String.check(Schema.makeFilter((value) => value.split(",").every((one) => isOrigin(one.trim())))),
      originsRule
    ),
    "SLIPWAY_FRAME_ANCESTORS"
  ).pipe(
    Config.map((value) => value.split(",").map((one) => one.trim())),
    Config.withDefault([])
  ),
  siteName: Config.schema(
    refine(Schema.String.check(Schema.makeFilter((value: string) => isSiteName(value))), siteNameRule),
    "SLIPWAY_SITE_NAME"
  ).pipe(Config.withDefault(defaultSettings.siteName)),
  siteLogo: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.makeFilter((file: string) => imageType(logoIn(file)) !== undefined)),
        `must be a file, and ${logoRule}`
      ),
      "SLIPWAY_SITE_LOGO"
    ).pipe(Config.map(logoIn))
  ),
  secret: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.isPattern(/^[^,]{16,}(?:,[^,]{16,})*$/s)),
        "must be at least 16 characters, or several such secrets with a comma between them, the newest first"
      ),
      "SLIPWAY_SECRET"
    ).pipe(Config.map((value) => Arr.map(Str.split(value, ","), (secret) => Redacted.make(secret))))
  ),
  reservationTtl: duration(
    "SLIPWAY_RESERVATION_TTL",
    Duration.minutes(1),
    Duration.hours(24),
    "must be a duration from 1m to 24h, such as 90m",
    defaultSettings.reservationTtl
  ),
  shutdownTimeout: duration(
    "SLIPWAY_SHUTDOWN_TIMEOUT",
    Duration.zero,
    Duration.hours(1),
    "must be a duration up to 1h, such as 20s",
    Duration.seconds(20)
  ),
  docs: Config.schema(refine(Schema.Literals(["on", "off"]), "must be on or off"), "SLIPWAY_DOCS").pipe(
    Config.withDefault("on" as const),
    Config.map((value) => value === "on")
  ),
  maxBodyBytes: bytes("SLIPWAY_MAX_BODY_SIZE", 1024 ** 2),
  trustedProxies,
  webhookNetworks,
  accessLog: accessLogSetting,
  logFormat: logFormatSetting,
  metrics: metricsSetting,
  backups: optional(Config.String("SLIPWAY_BACKUPS")),
  maxConcurrentRequests,
  maxWaitingRequests,
  maxClientConnections,
  keepAudit: auditSetting,
  openReservations: Config.schema(
    whole(1, 1_000_000, "must be a whole number from 1 to 1000000"),
    "SLIPWAY_MAX_OPEN_RESERVATIONS"
  ).pipe(Config.withDefault(defaultSettings.openReservations)),
  decompressedBytes: bytes("SLIPWAY_MAX_DECOMPRESSED_SIZE", defaultSettings.decompressedBytes),
  limits: Config.all({
    bundleBytes: bytes("SLIPWAY_MAX_BUNDLE_SIZE", defaultSettings.limits.bundleBytes),
    fileBytes: bytes("SLIPWAY_MAX_FILE_SIZE", defaultSettings.limits.fileBytes),
    totalBytes: bytes("SLIPWAY_MAX_TOTAL_SIZE", defaultSettings.limits.totalBytes),
    files: count("SLIPWAY_MAX_FILES", defaultSettings.limits.files),
    recordings: count("SLIPWAY_MAX_RECORDINGS", defaultSettings.limits.recordings)
  })
})

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A setting's names, as far as it has them. */
const named = (env: string): string => {
  const name = settingNames.find((one) => one.env === env)
  return name === undefined ? env : `${env} (--${name.flag})`
}

const refused = (error: Config.ConfigError | SettingAlone | Contradiction): SettingRefused => {
  if (error._tag === "Contradiction")
    return new SettingRefused({ message: `${named(error.env)} ${error.message} ${named(error.other)}` })
  if (error._tag === "SettingAlone")
    return new SettingRefused({ message: `${named(error.env)} needs ${named(error.needs)}` })
  if (error.cause._tag !== "SchemaError") return new SettingRefused({ message: error.message })
  const [issue] = formatIssues(error.cause.issue).issues
  const env = String(issue?.path?.[0] ?? "")
  return new SettingRefused({ message: `${named(env)} ${issue?.message ?? "does not fit"}` })
}

/** The values of a config file, keyed by environment variable. */
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
      const meant = settingNames.find((one) => one.env === key)
      const near = nearest(
        key,
        settingNames.map((one) => one.key)
      )
      const guess = near === undefined ? "" : `; did you mean ${near}?`
      const hint = meant === undefined ? guess : `; in a file it is called ${meant.key}`
      return name === undefined
        ? Effect.fail(new SettingRefused({ message: `${path} has the key ${key}, which is not a setting${hint}` }))
        : Effect.succeed([name.env, String(value)] as const)
    })
    return Object.fromEntries(entries)
  })

const FileValues = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
)

/**
 * Reads the settings. `flags` are values by environment name. Reads `configFile` if given, else `slipway.config.json`
 * if it exists.
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
    const read = Effect.gen(function* () {
      return {
        ...(yield* config),
        ...(yield* engineSettings),
        oidc: yield* oidcSettings,
        rates: yield* rateSettings,
        quotas: yield* quotaSettings,
        webhook: yield* webhookSettings,
        sweep: yield* sweepSettings,
        retention: yield* retentionSettings
      }
    })
    const settings = yield* Effect.mapError(Effect.provide(read, ConfigProvider.layer(provider)), refused)
    const mismatch = refuseRules(settings.retention, settings.reservationTtl)
    if (mismatch !== undefined) {
      return yield* new SettingRefused({ message: `${named(ruleSettings[mismatch.rule])} ${mismatch.message}` })
    }
    return settings
  })

/** What the other commands read: those of CI, the conformance suite, and the tests. */
const ofOthers = /^SLIPWAY_(?:KEY|OWNER|REPO|BRANCH|COMMIT|PR|SOURCE|(?:CONFORMANCE|TEST)_\w+)$/

/** The variables of an environment that are named like settings of a host and aren't any: mistyped, most likely. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const known = new Set(settingNames.map(({ env }) => env))
  return Object.keys(env).filter((name) => name.startsWith("SLIPWAY_") && !known.has(name) && !ofOthers.test(name))
}

/** How many letters have to be typed, deleted or replaced to make one text of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1)
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** The name that a mistyped one most likely means: it differs least, and by less than half of it. */
const nearest = (unknown: string, names: ReadonlyArray<string>): string | undefined => {
  const [first] = names
    .map((name) => ({ name, away: distance(unknown.toLowerCase(), name.toLowerCase()) }))
    .toSorted((one, other) => one.away - other.away)
  return first !== undefined && first.away <= Math.min(3, unknown.length / 2) ? first.name : undefined
}

/** The setting that a mistyped variable most likely means. */
export const meantSetting = (unknown: string): string | undefined =>
  nearest(
    unknown,
    settingNames.map(({ env }) => env)
  )
