/** A value of a table; `undefined` is an empty cell. */
export type Cell = string | number | boolean | undefined

/**
 * A cell of CSV. A spreadsheet takes a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return for a formula, so that an
 * apostrophe comes before it.
 */
const cellText = (cell: Cell): string => {
  if (typeof cell !== "string") return String(cell ?? "")
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A table as CSV (RFC 4180), with the names of its columns first. */
export const csvOf = <Row>(
  columns: { readonly [name: string]: (row: Row) => Cell },
  rows: ReadonlyArray<Row>
): string =>
  [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((column) => column(row)))]
    .map((cells) => `${cells.map(cellText).join(",")}\r\n`)
    .join("")
