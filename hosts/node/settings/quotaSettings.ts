import { ByteSize, Config, Effect, Schema } from "effect"
import type { QuotaName, Quotas } from "../../../core/model/Account.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { defaultQuotas } from "../../../core/rules/limits.ts"
import { ByteCount, refine } from "./settingValues.ts"

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
export type WrittenAmount = typeof quotaBytes.Type

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
