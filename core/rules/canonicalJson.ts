/** A piece of text that is done, or a value whose text comes here. */
type Piece = { readonly text: string } | { readonly value: unknown }

/** What JSON makes of a value before it is written: `toJSON` applied, nothing for what JSON has no word for. */
const plain = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  const toJSON: unknown = Reflect.get(value, "toJSON")
  return typeof toJSON === "function" ? toJSON.call(value) : value
}

const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== "function" && typeof value !== "symbol"

const piecesOf = (value: object): ReadonlyArray<Piece> => {
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown, index): ReadonlyArray<Piece> => [
      { text: index === 0 ? "" : "," },
      { value: isWritten(item) ? item : null }
    ])
    return [{ text: "[" }, ...items, { text: "]" }]
  }
  const fields = Object.entries(value)
    .filter(([, field]) => isWritten(field))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, field], index): ReadonlyArray<Piece> => [
      { text: `${index === 0 ? "" : ","}${JSON.stringify(name)}:` },
      { value: field }
    ])
  return [{ text: "{" }, ...fields, { text: "}" }]
}

/**
 * A value as JSON with the keys of every object in order, so that equal values give equal text. However deep a value is
 * nested it is written, where `JSON.stringify` would run out of stack.
 */
export const canonicalJson = (value: unknown): string => {
  const written: Array<string> = []
  const open: Array<Piece> = [{ value }]
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    if ("text" in piece) {
      written.push(piece.text)
      continue
    }
    const one = plain(piece.value)
    if (typeof one !== "object" || one === null) written.push(JSON.stringify(one) ?? "null")
    else for (const inner of piecesOf(one).toReversed()) open.push(inner)
  }
  return written.join("")
}
