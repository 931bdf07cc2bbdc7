import { identity, Schema } from "effect"
import { makeRows } from "../sql/rows.ts"

/** The driver gives a time as a `Date`, and JSON and lists as they are. */
export const rows = makeRows({ Time: Schema.DateTimeUtcFromDate, json: identity })

export const { columns, entities } = rows
