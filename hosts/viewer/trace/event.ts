import stripAnsi from "strip-ansi"

/** One event of a recording. `t` is when, in milliseconds, and `index` its position from 0. */
export interface TraceEvent {
  readonly index: number
  readonly t: number
  readonly type: string
  readonly name: string
  readonly status: string | undefined
  /** Every other field, as it was recorded. */
  readonly fields: Readonly<Record<string, unknown>>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isColoured = /\\u001b/i

/** Removes terminal colours from every text in a value, at any depth. */
const withoutColours = (value: unknown): unknown => {
  const whole = { value }
  const open: Array<object> = [whole]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, one] of Array.isArray(next) ? next.entries() : Object.entries(next)) {
      if (typeof one === "string") Reflect.set(next, key, stripAnsi(one))
      else if (typeof one === "object" && one !== null) open.push(one)
    }
  }
  return whole.value
}

const parsed = (line: string): unknown => {
  try {
    const value: unknown = JSON.parse(line)
    return isColoured.test(line) ? withoutColours(value) : value
  } catch {
    return undefined
  }
}

/** The text of a field that is text, a number or a boolean. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined

/**
 * Parses one line; `before` is the event before it. `undefined` for an empty line. `startedAtMs` is when the recording
 * started on the clock of the run, to which the event's time is converted.
 */
export const parseEvent = (line: string, before: TraceEvent | undefined, startedAtMs = 0): TraceEvent | undefined => {
  if (line.trim() === "") return undefined
  const index = before === undefined ? 0 : before.index + 1
  const value = parsed(line)
  const earlier = before?.t ?? startedAtMs
  if (!isObject(value)) return { index, t: earlier, type: "text", name: stripAnsi(line), status: undefined, fields: {} }
  const { name, status, t, type, ...fields } = value
  return {
    index,
    t: typeof t === "number" && Number.isFinite(t) && t >= 0 ? startedAtMs + t : earlier,
    type: textOf(type) ?? "event",
    name: textOf(name) ?? "",
    status: textOf(status),
    fields
  }
}
