/** What JSON makes of a value before it is written: `toJSON` applied, nothing for what JSON has no word for. */
const plain = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  const toJSON: unknown = Reflect.get(value, "toJSON")
  return typeof toJSON === "function" ? toJSON.call(value) : value
}

const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== "function" && typeof value !== "symbol"

const scalar = (value: unknown): string =>
  typeof value === "number" && Number.isFinite(value) ? String(value) : (JSON.stringify(value) ?? "null")

/** An array or object that is being written: its items, or the names of its fields in order, and how many are done. */
interface Open {
  readonly value: object
  readonly names: ReadonlyArray<string> | undefined
  readonly length: number
  done: number
}

const opened = (value: object): Open => {
  if (Array.isArray(value)) return { value, names: undefined, length: value.length, done: 0 }
  const names = Object.keys(value)
    .filter((name) => isWritten(Reflect.get(value, name)))
    .toSorted()
  return { value, names, length: names.length, done: 0 }
}

/** From how many characters on a piece is given out. */
const pieceLength = 64 * 1024

/** {@link canonicalJson} piece by piece, so that nobody has to wait for the whole of a large value. */
export function* canonicalJsonPieces(value: unknown): Generator<string> {
  const open: Array<Open> = []
  let written = ""
  const write = (value: unknown) => {
    const one = plain(value)
    if (typeof one !== "object" || one === null) {
      written += scalar(one)
    } else {
      written += Array.isArray(one) ? "[" : "{"
      open.push(opened(one))
    }
  }
  write(value)
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    if (inner.done === inner.length) {
      written += inner.names === undefined ? "]" : "}"
      open.pop()
    } else {
      const index = inner.done++
      const name = inner.names?.[index]
      if (index > 0) written += ","
      if (name !== undefined) written += `${JSON.stringify(name)}:`
      write(Reflect.get(inner.value, name ?? index))
    }
    if (written.length >= pieceLength) {
      yield written
      written = ""
    }
  }
  if (written !== "") yield written
}

/**
 * A value as JSON with the keys of every object in order, so that equal values give equal text. However deep a value is
 * nested it is written, where `JSON.stringify` would run out of stack.
 */
export const canonicalJson = (value: unknown): string => Array.from(canonicalJsonPieces(value)).join("")
