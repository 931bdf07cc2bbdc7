/** The value that JSON writes for a value: the result of its `toJSON` method where it has one. */
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

/** A chunk is yielded once it has this many characters. */
const chunkLength = 64 * 1024

/** {@link canonicalJson} in chunks, so that other work can run between the chunks of a large value. */
export function* canonicalJsonChunks(value: unknown): Generator<string> {
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
    if (written.length >= chunkLength) {
      yield written
      written = ""
    }
  }
  if (written !== "") yield written
}

/**
 * A value as JSON with the keys of every object sorted, so that equal values give equal text. The nesting may be deeper
 * than the stack allows `JSON.stringify`.
 */
export const canonicalJson = (value: unknown): string => Array.from(canonicalJsonChunks(value)).join("")
