/** The settings that select PostgreSQL or a SQLite file for metadata, and S3 for objects. */
import { Config, Data, Effect, Redacted, Schema } from "effect"
import { Contradiction, proxies, trustedProxies } from "./limitSettings.ts"
import { optional, refine, url, whole } from "./settingValues.ts"

/** The PostgreSQL server for the metadata. */
export interface DatabaseSettings {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
}

/** The bucket for the objects. There are no settings for credentials: the AWS SDK finds them in its usual places. */
export interface S3Settings {
  readonly bucket: string
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly prefix: string | undefined
  readonly forcePathStyle: boolean | undefined
  /** Whether clients PUT to the bucket itself, which is the default, or to the host, which passes the bytes on. */
  readonly uploads?: "direct" | "host" | undefined
}

/** The selected engines; an engine without a server is embedded. */
export interface EngineSettings {
  readonly database: DatabaseSettings | undefined
  /** The SQLite file that `DATABASE_URL` names. Without it, and without a server, the file is in the data folder. */
  readonly file: string | undefined
  readonly s3: S3Settings | undefined
  /** Whether files are stored so that a proxy can send them. */
  readonly sendfile?: boolean
}

/** A setting that has no effect without another one, both by their environment names. */
export class SettingAlone extends Data.TaggedError("SettingAlone")<{ readonly env: string; readonly needs: string }> {}

const postgresUrl = /^postgres(?:ql)?:\/\//
// A path, `sqlite:/var/lib/slipway.sqlite`, or a URL with an empty host, `sqlite:///var/lib/slipway.sqlite`.
const sqlitePath = /^sqlite:(?:\/\/(?=\/))?(?!\/\/)([^:?#\p{Cc}][^?#\p{Cc}]*)$/u

const text = (message: string) => refine(Schema.String.check(Schema.isPattern(/^[^\s\p{Cc}]+$/u)), message)

const sendfileEnv = "SLIPWAY_SENDFILE"

const config = Config.all({
  DATABASE_URL: optional(
    Config.schema(
      refine(
        Schema.String.check(
          Schema.makeFilter(
            (value: string) => sqlitePath.test(value) || (postgresUrl.test(value) && URL.canParse(value))
          )
        ),
        "must be a URL such as postgres://user:password@host:5432/database, its parts percent-encoded, or sqlite:/path"
      ),
      "DATABASE_URL"
    )
  ),
  SLIPWAY_DATABASE_CONNECTIONS: optional(
    Config.schema(whole(1, 1000, "must be a whole number from 1 to 1000"), "SLIPWAY_DATABASE_CONNECTIONS")
  ),
  SLIPWAY_S3_BUCKET: optional(Config.schema(text("must be the name of a bucket"), "SLIPWAY_S3_BUCKET")),
  SLIPWAY_S3_ENDPOINT: optional(Config.schema(url, "SLIPWAY_S3_ENDPOINT")),
  SLIPWAY_S3_REGION: optional(
    Config.schema(text("must be the name of a region, such as eu-central-1"), "SLIPWAY_S3_REGION")
  ),
  SLIPWAY_S3_PREFIX: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.isPattern(/^(?!.{257})(?:(?!\.{1,2}\/)[A-Za-z0-9!\-_.*'()]+\/)+$/)),
        "must be segments that each end with a slash, such as slipway/"
      ),
      "SLIPWAY_S3_PREFIX"
    )
  ),
  SLIPWAY_S3_FORCE_PATH_STYLE: optional(
    Config.schema(refine(Schema.Literals(["true", "false"]), "must be true or false"), "SLIPWAY_S3_FORCE_PATH_STYLE")
  ),
  SLIPWAY_S3_UPLOADS: optional(
    Config.schema(refine(Schema.Literals(["direct", "host"]), "must be direct or host"), "SLIPWAY_S3_UPLOADS")
  ),
  SLIPWAY_SENDFILE: optional(
    Config.schema(refine(Schema.Literals(["off", "x-accel-redirect"]), "must be off or x-accel-redirect"), sendfileEnv)
  )
})

/** Reads the settings of the engines. Files are sent by a trusted proxy, not from a bucket. */
export const engineSettings: Effect.Effect<EngineSettings, Config.ConfigError | SettingAlone | Contradiction> =
  Effect.gen(function* () {
    const { DATABASE_URL: databaseUrl, SLIPWAY_SENDFILE: sendfile, ...others } = yield* config
    const file = sqlitePath.exec(databaseUrl ?? "")?.[1]
    const given = { ...others, DATABASE_URL: file === undefined ? databaseUrl : undefined }
    const {
      DATABASE_URL: serverUrl,
      SLIPWAY_DATABASE_CONNECTIONS: maxConnections,
      SLIPWAY_S3_BUCKET: bucket,
      SLIPWAY_S3_FORCE_PATH_STYLE: forcePathStyle
    } = given
    for (const [env, value] of Object.entries(given)) {
      const needs = env.startsWith("SLIPWAY_S3_") ? "SLIPWAY_S3_BUCKET" : "DATABASE_URL"
      if (value !== undefined && given[needs] === undefined) return yield* new SettingAlone({ env, needs })
    }
    if (sendfile === "x-accel-redirect" && bucket !== undefined) {
      return yield* new Contradiction({
        env: sendfileEnv,
        message: "is for files, not for",
        other: "SLIPWAY_S3_BUCKET"
      })
    }
    if (sendfile === "x-accel-redirect" && (yield* trustedProxies).length === 0) {
      return yield* new SettingAlone({ env: sendfileEnv, needs: proxies })
    }
    return {
      database:
        serverUrl === undefined ? undefined : { url: Redacted.make(serverUrl), maxConnections: maxConnections ?? 10 },
      file,
      sendfile: sendfile === "x-accel-redirect",
      s3:
        bucket === undefined
          ? undefined
          : {
              bucket,
              endpoint: given.SLIPWAY_S3_ENDPOINT,
              region: given.SLIPWAY_S3_REGION,
              prefix: given.SLIPWAY_S3_PREFIX,
              forcePathStyle: forcePathStyle === undefined ? undefined : forcePathStyle === "true",
              uploads: given.SLIPWAY_S3_UPLOADS ?? "direct"
            }
    }
  })

/** The server, database and user that a PostgreSQL URL names, for people to read. It contains no password. */
export interface DatabaseAddress {
  /** Host and port, or a socket's folder. */
  readonly server: string
  readonly user: string
  readonly database: string
}

/**
 * The address in a URL, read as the PostgreSQL client reads it: the query overrides the rest, and missing parts have
 * libpq's defaults.
 */
export const databaseAddress = (url: Redacted.Redacted): DatabaseAddress => {
  const { hostname, password: _, pathname, port, searchParams, username } = new URL(Redacted.value(url))
  const user = searchParams.get("user") ?? (decodeURIComponent(username) || (process.env["USER"] ?? "nobody"))
  const host = searchParams.get("host") ?? (decodeURIComponent(hostname) || "localhost")
  return {
    server: host.startsWith("/") ? host : `${host}:${searchParams.get("port") ?? (port || "5432")}`,
    user,
    database: searchParams.get("dbname") ?? (decodeURIComponent(pathname.slice(1)) || user)
  }
}
