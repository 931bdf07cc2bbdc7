import { identity, Schema } from "effect"
import { makeRows, type ColumnTypes } from "../sql/rows.ts"

/** The driver returns times as `Date`, and JSON and lists decoded. */
export const columnTypes: ColumnTypes = {
  Time: Schema.DateTimeUtcFromDate,
  Truth: Schema.Boolean,
  json: identity,
  list: identity
}

export const rows = makeRows(columnTypes)

export const { columns, entities } = rows
