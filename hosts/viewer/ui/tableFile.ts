import { Record } from "effect"
import { HttpServerResponse } from "effect/http"
import { csvOf, type Cell } from "../../../core/rules/csv.ts"
import { html, type Html } from "./html.ts"

/** The formats of tables as files. */
const formats = ["csv", "json"] as const
export type Format = (typeof formats)[number]

/** The format that a URL asks for, if it does. */
export const formatIn = (url: string): Format | undefined => {
  const format = new URL(url, "http://viewer").searchParams.get("format")
  return formats.find((one) => one === format)
}

/** The path of a page with a format. */
export const withFormat = (path: string, format: Format): string =>
  `${path}${path.includes("?") ? "&" : "?"}format=${format}`

/** The rows of a table as a file with these columns. */
export const tableFile = <Row>(
  format: Format,
  name: string,
  columns: { readonly [name: string]: (row: Row) => Cell },
  rows: ReadonlyArray<Row>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    format === "csv"
      ? csvOf(columns, rows)
      : JSON.stringify(rows.map((row) => Record.map(columns, (column) => column(row)))),
    {
      contentType: format === "csv" ? "text/csv; charset=utf-8" : "application/json",
      headers: {
        "cache-control": "private, no-store, no-transform",
        "content-disposition": `attachment; filename="${name}.${format}"`
      }
    }
  )

/** Links to a table as a file of each format. */
export const tableLinks = (pathOf: (format: Format) => string): Html =>
  html`<p class="type files">
    As a file: ${formats.map((format) => html`<a href="${pathOf(format)}">${format.toUpperCase()}</a> `)}
  </p>`
