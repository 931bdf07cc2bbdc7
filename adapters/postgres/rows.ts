import { identity, Schema } from "effect"
import { makeRows } from "../sql/rows.ts"
import type { ColumnTypes } from "../sql/rows.ts"

/** The driver gives a time as a `Date`, and JSON and lists as they are. */
export const columnTypes: ColumnTypes = {
  Time: Schema.DateTimeUtcFromDate,
  Truth: Schema.Boolean,
  json: identity,
  list: identity
}

export const rows = makeRows(columnTypes)

export const { columns, entities } = rows
