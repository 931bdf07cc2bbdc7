/** Flags and arguments that several commands share. */
import { Duration, Effect, Option, Record, Schema, SchemaIssue } from "effect"
import { Argument, Flag } from "effect/cli"
import { KeyId, Scope } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { isId, Name } from "../../../core/model/Text.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { ShareLinkId } from "../../../core/model/Resource.ts"
import { EventType, WebhookId } from "../../../core/model/SlipwayEvent.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { DeliveryId } from "../../../core/ports/Outbox.ts"
import { shareLife } from "../../../core/rules/credentials.ts"
import { unlimited } from "../../../core/model/Account.ts"
import { amountOf, quotaBytes, quotaCount } from "../../node/settings/limitSettings.ts"
import { DurationText } from "../../node/settings/settingValues.ts"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object or array"),
  Flag.withDefault(false)
)

const data = Flag.String("data").pipe(
  Flag.withDescription("Data folder of the embedded engines (SLIPWAY_DATA, ./.slipway)"),
  Flag.optional
)

/** How much of a log is shown. */
export const limit = Flag.Int("limit").pipe(
  Flag.withDescription("How many, at most 10000"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  Flag.withDefault(100)
)

export const config = Flag.String("config").pipe(
  Flag.withDescription("Config file (slipway.config.json)"),
  Flag.optional
)

const databaseUrl = Flag.String("database-url").pipe(
  Flag.withDescription("PostgreSQL to use instead of the data folder (DATABASE_URL)"),
  Flag.optional
)

/** The settings that name where accounts are stored. */
export const stores = { data, databaseUrl, config }

/** The flags that were given, by the names of their settings. */
export const givenFlags = (flags: Readonly<Record<string, Option.Option<string>>>): Record<string, string> =>
  Record.getSomes(flags)

export const account = Flag.String("account").pipe(Flag.withDescription("Name of the account"), Flag.withSchema(Name))

export const scopes = Flag.Literals("scope", Scope.literals).pipe(
  Flag.withDescription("What the key may do; repeat it for several"),
  Flag.atLeast(1),
  Flag.filterMap(
    ([first, ...others]) => (first === undefined ? Option.none() : Option.some([first, ...others] as const)),
    () => "at least one scope"
  )
)

const whatCiNeeds = ["builds", "preview_upload", "test_runs"] as const

/** What the keys of a trusted CI may do. */
export const trustedScopes = Flag.Literals("scope", Scope.literals).pipe(
  Flag.withDescription("What its keys may do; repeat it for several (builds, preview_upload and test_runs)"),
  Flag.atLeast(0),
  Flag.map(([first, ...others]) => (first === undefined ? whatCiNeeds : ([first, ...others] as const)))
)

const longest = Duration.days(36_500)

const duration = (minimum: Duration.Duration, maximum: Duration.Duration, message: string) =>
  DurationText.check(
    Schema.makeFilter((value: Duration.Duration) => Duration.between(value, { minimum, maximum }))
  ).pipe(Schema.catchDecoding(() => Effect.fail(new SchemaIssue.InvalidValue({ message }))))

export const expires = Flag.String("expires").pipe(
  Flag.withDescription("Lifetime of the key, such as 90d; by default the key does not expire"),
  Flag.withSchema(duration(Duration.seconds(1), longest, "must be a duration from 1s to 36500d, such as 90d")),
  Flag.optional
)

export const overlap = Flag.String("overlap").pipe(
  Flag.withDescription("How long the old key keeps working"),
  Flag.withDefault("24h"),
  Flag.withSchema(duration(Duration.zero, longest, "must be a duration up to 36500d, such as 24h"))
)

export const name = Argument.String("name").pipe(Argument.withSchema(Name))

export const keyId = Argument.String("id").pipe(Argument.withDescription("Id of the key"), Argument.withSchema(KeyId))

const visible = isId("must be an id")

/** The id of a build, preview or run, given as it is or as the URL of its page. */
export const resourceId = <Id extends string>(schema: Schema.Codec<Id, string>) =>
  Argument.String("id").pipe(
    Argument.withDescription("Its id, or the URL of its page"),
    Argument.map((given) => (URL.canParse(given) ? (new URL(given).pathname.split("/").at(-1) ?? "") : given)),
    Argument.withSchema(schema)
  )

export const build = Flag.String("build").pipe(
  Flag.withDescription("Id of the build"),
  Flag.withSchema(BuildId.check(visible)),
  Flag.optional
)

export const preview = Flag.String("preview").pipe(
  Flag.withDescription("Share id of the preview"),
  Flag.withSchema(ShareId.check(visible)),
  Flag.optional
)

export const run = Flag.String("run").pipe(
  Flag.withDescription("Id of the test run"),
  Flag.withSchema(TestRunId.check(visible)),
  Flag.optional
)

export const linkLife = Flag.String("expires").pipe(
  Flag.withDescription("Lifetime of the link, 1m to 90d (7d)"),
  Flag.withSchema(duration(shareLife.minimum, shareLife.maximum, "must be a duration from 1m to 90d, such as 7d")),
  Flag.optional
)

export const linkId = Argument.String("id").pipe(
  Argument.withDescription("Id of the link"),
  Argument.withSchema(ShareLinkId.check(visible))
)

export const eventId = Argument.String("id").pipe(
  Argument.withDescription("Id of the event"),
  Argument.withSchema(DeliveryId.check(visible))
)

export const eventTypes = Flag.Literals("event", EventType.literals).pipe(
  Flag.withDescription("A type of event to receive, by default all; repeat it for several"),
  Flag.atLeast(0)
)

export const webhookId = Argument.String("id").pipe(
  Argument.withDescription("Id of the webhook"),
  Argument.withSchema(WebhookId.check(visible))
)

export const webhook = Flag.String("webhook").pipe(
  Flag.withDescription("Id of one webhook, or `settings`"),
  Flag.withSchema(WebhookId.check(visible)),
  Flag.optional
)

/** A value, or `default` for the settings' value; `message` states the valid values. */
export const orDefault = <A>(schema: Schema.Codec<A, string>, message: string) =>
  Schema.Union([Schema.Literal("default"), schema]).pipe(
    Schema.catchDecoding(() => Effect.fail(new SchemaIssue.InvalidValue({ message })))
  )

const quota = (flag: string, what: string, amount: typeof quotaBytes | typeof quotaCount, message: string) =>
  Flag.String(flag).pipe(
    Flag.withDescription(`${what}; off, or default for the value of the settings`),
    Flag.withSchema(orDefault(amount, message)),
    Flag.map((written) => (written === "default" ? null : (amountOf(written) ?? unlimited))),
    Flag.optional
  )

const aSize = "must be a size such as 100GiB or 1000000, off, or default"
const aCount = "must be a whole number, 0 or more, off, or default"

/** The quotas of an account, each an amount or `null` for the default. */
export const quotas = {
  bytesStored: quota("bytes-stored", "Most bytes to store, such as 100GiB", quotaBytes, aSize),
  bytesPerMonth: quota("bytes-per-month", "Most bytes to upload in a month", quotaBytes, aSize),
  previewsPerMonth: quota("previews-per-month", "Most previews in a month", quotaCount, aCount),
  runsPerMonth: quota("runs-per-month", "Most test runs in a month", quotaCount, aCount)
}

/** `OWNER/NAME`; the owner itself may contain slashes. */
export const repository = Argument.String("repository").pipe(
  Argument.withDescription("OWNER/NAME"),
  Argument.withSchema(Name.check(Schema.isPattern(/^[^/](?:.*[^/])?\/[^/]+$/s, { message: "must be OWNER/NAME" }))),
  Argument.map((written) => ({
    owner: written.slice(0, written.lastIndexOf("/")),
    repo: written.slice(written.lastIndexOf("/") + 1)
  }))
)
