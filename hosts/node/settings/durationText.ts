import { Schema, SchemaTransformation } from "effect"

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
