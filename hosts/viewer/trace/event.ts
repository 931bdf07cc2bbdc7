import stripAnsi from "strip-ansi"

/** One event of a recording. `t` is when, in milliseconds, and `index` its place from 0. */
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

const plain = (_: string, value: unknown): unknown => (typeof value === "string" ? stripAnsi(value) : value)

const parsed = (line: string): unknown => {
  try {
    return isColoured.test(line) ? JSON.parse(line, plain) : JSON.parse(line)
  } catch {
    return undefined
  }
}

/** What a field says where it is text, or a number or truth value that reads as one. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined

/**
 * Reads one line; `before` is the event of the line before. An empty line is none. Times are on the recording's own
 * clock, unless it is told when on another one the recording started.
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
