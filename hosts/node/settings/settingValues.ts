/** The types of setting values, each with its own error message for invalid input. */
import { ByteSize, Config, Duration, Effect, Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** A schema whose error is `message`, which doesn't repeat the invalid value. */
export const refine = <A>(schema: Schema.Codec<A, string>, message: string) =>
  schema.pipe(Schema.catchDecoding(() => Effect.fail(new SchemaIssue.InvalidValue({ message }))))

export const whole = (minimum: number, maximum: number, message: string) =>
  refine(Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })), message)

/** A number of bytes as `512MiB`; more than a number can count are refused. */
export const ByteCount = Schema.ByteSizeFromString.check(
  Schema.makeFilter((value) => value <= BigInt(Number.MAX_SAFE_INTEGER))
)

const size = refine(
  Schema.Union([Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThan(0)), ByteCount]),
  "must be a size such as 512MiB or 1000000"
)

export const url = refine(
  Schema.String.check(
    Schema.isPattern(/^https?:\/\/[^/?#*]+(?:\/[^?#]*)?$/),
    Schema.makeFilter((value: string) => URL.canParse(value))
  ),
  "must be an http or https URL of one host, without query or fragment"
)

/** An optional setting: `undefined` if it is missing. */
export const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

export const bytes = (name: string, fallback: number) =>
  Config.schema(size, name).pipe(
    Config.map((value) => (typeof value === "number" ? value : ByteSize.toNumberUnsafe(value))),
    Config.withDefault(fallback)
  )

export const duration = (
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

export const count = (name: string, fallback: number) =>
  Config.schema(whole(0, 100_000, "must be a whole number up to 100000"), name).pipe(Config.withDefault(fallback))

const networkOf = (text: string): Result.Result<IpNetwork.IpNetwork, unknown> =>
  text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.flatMap(NetAddress.ipFromString(text), (address) =>
        IpNetwork.fromAddress(address, NetAddress.width(address))
      )

/** IP networks and addresses with commas between them; none if the setting is missing. */
export const networks = (name: string): Config.Config<ReadonlyArray<IpNetwork.IpNetwork>> =>
  Config.schema(
    refine(
      Schema.String.check(
        Schema.makeFilter((value) => value.split(",").every((text) => Result.isSuccess(networkOf(text.trim()))))
      ),
      "must be IP addresses or networks with commas between them, such as 10.0.0.0/8,::1"
    ),
    name
  ).pipe(
    Config.map((value) => value.split(",").map((text) => Result.getOrThrow(networkOf(text.trim())))),
    Config.withDefault([])
  )

const units: Readonly<Record<string, string>> = { ms: "millis", s: "seconds", m: "minutes", h: "hours", d: "days" }

/** A duration as people write it on a command line: `500ms`, `90s`, `15m`, `24h`, `90d`, or `15 minutes`. */
export const DurationText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.DurationFromString,
    SchemaTransformation.transform({
      decode: (written) => written.replace(/^(\d+) ?(ms|[smhd])$/, (_, count, unit) => `${count} ${units[unit]}`),
      encode: (spelled) => spelled
    })
  )
)
