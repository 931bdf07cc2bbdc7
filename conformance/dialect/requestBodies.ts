/**
 * The bodies in the interface as schemas. The suite's requests must fit them, except in what a check changes on
 * purpose.
 */
import { Effect, Schema } from "effect"
import type { Json } from "../session/Exchange.ts"
import { SuiteFault } from "../session/SuiteFault.ts"
import type { Fields } from "./Dialect.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const CommitSha = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{40}$/))

/** @see docs/interface.md#2.1 */
export const BuildReservation = Schema.Struct({
  owner: Schema.NonEmptyString,
  repo: Schema.NonEmptyString,
  branch: Schema.NonEmptyString,
  platform: Schema.Literals(["ios", "android"]),
  commitSha: CommitSha,
  contentHash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  bundleSizeBytes: Count,
  bundleContentType: Schema.NonEmptyString,
  bundleOrigin: Schema.String,
  entry: Schema.NonEmptyString,
  isTransformed: Schema.Boolean,
  deviceSpec: Schema.Struct({ width: Schema.Finite, height: Schema.Finite }),
  files: Schema.Array(Schema.Json)
})

/** @see docs/interface.md#2.3 */
export const BuildFinalization = Schema.Struct({
  operation: Schema.Literal("finalize"),
  token: Schema.String
})

/** @see docs/interface.md#2.7 */
export const RunRegistration = Schema.Struct({
  kind: Schema.Literals(["maestro", "detox"]),
  name: Schema.NonEmptyString,
  status: Schema.String,
  owner: Schema.NonEmptyString,
  repo: Schema.NonEmptyString,
  branch: Schema.NonEmptyString,
  commitSha: CommitSha,
  previewShareId: Schema.NonEmptyString,
  stepCount: Count,
  durationMs: Count
})

/** The body, when everything in it that the check didn't choose fits the schema; otherwise a {@link SuiteFault}. */
export const sendable = <Fields_ extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields_> & { readonly DecodingServices: never },
  body: Readonly<Record<string, Json>>,
  chosen: Fields = {}
): Effect.Effect<Readonly<Record<string, Json>>> => {
  for (const [name, field] of Object.entries(schema.fields)) {
    if (Object.hasOwn(chosen, name)) continue
    if (!Schema.is(field)(body[name])) {
      const value = JSON.stringify(body[name])
      return Effect.die(
        new SuiteFault({ reason: `The suite would send ${name} as ${value}, which the interface doesn't have` })
      )
    }
  }
  return Effect.succeed(body)
}
