/** How deep a value is described. */
const deepest = 3
const maxEntries = 50

/** Collects text up to a limit, then ignores more. */
class Full extends Error {}

const paper = (room: number) => {
  let text = ""
  return {
    add: (more: string): void => {
      text += more.slice(0, room - text.length)
      if (text.length >= room) throw new Full()
    },
    text: () => text
  }
}
type Paper = ReturnType<typeof paper>

const isError = (value: object): value is Error => value instanceof Error

const errorText = ({ message, name, stack }: Error): string => {
  const head = message === "" ? name : `${name}: ${message}`
  if (stack === undefined || stack === "") return head
  return stack.includes(message) ? stack : `${head}\n${stack}`
}

const nameOf = (value: object): string => {
  const made: unknown = Object.getPrototypeOf(value)?.constructor
  return typeof made === "function" && made.name !== "Object" && made.name !== "" ? `${made.name} ` : ""
}

const elementText = (value: object): string | undefined => {
  if (typeof Element !== "function" || !(value instanceof Element)) return undefined
  const id = value.id === "" ? "" : ` id=${JSON.stringify(value.id)}`
  return `<${value.localName}${id}>`
}

/** The text of a value without descending into it; `undefined` for values with content. */
const shortText = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value)
    case "bigint":
      return `${value}n`
    case "function":
      return `ƒ ${value.name}()`
    case "object":
      break
    default:
      return Object.is(value, -0) ? "-0" : String(value)
  }
  if (value === null) return "null"
  if (isError(value)) return errorText(value)
  if (value instanceof Date || value instanceof RegExp) return String(value)
  return elementText(value)
}

const write = (to: Paper, value: unknown, above: ReadonlyArray<object>): void => {
  const short = shortText(value)
  if (short !== undefined || typeof value !== "object" || value === null) {
    to.add(short ?? "")
    return
  }
  if (above.includes(value)) to.add("[circular]")
  else if (above.length >= deepest) to.add(Array.isArray(value) ? "[…]" : `${nameOf(value)}{…}`)
  else writeEntries(to, value, above)
}

const writeEntries = (to: Paper, value: object, above: ReadonlyArray<object>): void => {
  const within = [...above, value]
  let count = 0
  const entry = (key: string, one: () => unknown): boolean => {
    if (++count > maxEntries) {
      to.add(", …")
      return false
    }
    to.add(`${count === 1 ? "" : ", "}${key}`)
    write(to, one(), within)
    return true
  }
  if (value instanceof Map || value instanceof Set) {
    to.add(`${nameOf(value)}(${value.size}) {`)
    for (const [key, one] of value.entries()) {
      const isMap = value instanceof Map
      if (!entry(isMap ? `${describe([key], 100)} => ` : "", () => one)) break
    }
    to.add("}")
    return
  }
  const own = (key: string | number): unknown => {
    const property = Object.getOwnPropertyDescriptor(value, key)
    return property?.get === undefined ? property?.value : Symbol("getter")
  }
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value)) {
    const length = Number(value.length)
    to.add(Array.isArray(value) ? "[" : `${nameOf(value)}[`)
    for (let index = 0; index < length; index++) if (!entry("", () => own(index))) break
    to.add("]")
    return
  }
  to.add(`${nameOf(value)}{`)
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    if (!entry(`${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}: `, () => own(key))) break
  }
  to.add("}")
}

/** Fills the placeholders of the first value, a format string, and returns the remaining values. */
const writeFormat = (to: Paper, format: string, values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  let next = 0
  for (const chunk of format.split(/(%[sdifoOjc%])/)) {
    const isPlace = /^%[sdifoOjc]$/.test(chunk) && next < values.length
    if (!isPlace) {
      to.add(chunk === "%%" ? "%" : chunk)
      continue
    }
    const value = values[next++]
    if (chunk === "%c") continue
    if (chunk === "%d" || chunk === "%i" || chunk === "%f") {
      const number = typeof value === "bigint" ? Number(value) : typeof value === "symbol" ? Number.NaN : Number(value)
      to.add(String(chunk === "%i" ? Math.trunc(number) : number))
    } else if (chunk === "%s" && typeof value === "string") to.add(value)
    else write(to, value, [])
  }
  return values.slice(next)
}

/**
 * Describes values like a console does, in at most `room` characters. It runs no getter, and never throws, because an
 * app may pass anything.
 */
export const describe = (values: ReadonlyArray<unknown>, room: number): string => {
  const to = paper(room)
  try {
    const [first, ...others] = values
    const left = typeof first === "string" && others.length > 0 ? writeFormat(to, first, others) : values
    for (const [index, value] of left.entries()) {
      if (index > 0 || left !== values) to.add(" ")
      if (typeof value === "string") to.add(value)
      else write(to, value, [])
    }
    return to.text()
  } catch (error) {
    return error instanceof Full ? `${to.text().slice(0, -1)}…` : `${to.text()}[what can't be read]`
  }
}
