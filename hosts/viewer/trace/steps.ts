/** The events and steps of a run, their times, and how they read. */
import stripAnsi from "strip-ansi"
import { durationText } from "../../../core/rules/amounts.ts"
import { shortText } from "../ui/words.ts"
import type { Step, TraceData } from "./traceData.ts"

const isBeginning = (status: string | undefined): boolean => status === "started" || status === "running"

/** A value that is a number of at least 0. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Steps of a run in the order in which they began; `isWhole` if these are all of them. */
export interface KnownSteps {
  readonly steps: ReadonlyArray<Step>
  readonly isWhole: boolean
}

/**
 * Gathers the steps of a run as its events are read in order, at most so many of them. A step that begins when there are
 * that many is left out; those that are there may still end.
 */
export const stepReader = (
  most: number
): { readonly read: (event: TraceEvent) => void; readonly known: () => KnownSteps } => {
  const steps: Array<Step> = []
  /** The indices of the steps that haven't ended, by name, the latest last; `undefined` for a step that was left out. */
  const open = new Map<string, Array<number | undefined>>()
  let isWhole = true

  const begin = (name: string, position: number | undefined): void => {
    const positions = open.get(name)
    if (positions === undefined) open.set(name, [position])
    else positions.push(position)
  }

  /** Ends the last step of a name that hasn't ended; `false` where there is none. */
  const end = ({ fields, name, status, t }: TraceEvent): boolean => {
    const positions = open.get(name)
    if (positions === undefined || positions.length === 0) return false
    const position = positions.pop()
    const begun = position === undefined ? undefined : steps[position]
    if (position === undefined || begun === undefined) return true
    steps[position] = {
      ...begun,
      status: status ?? "passed",
      to: t,
      depth: numberOf(fields["depth"]) ?? begun.depth,
      message: textOf(fields["message"]) ?? begun.message
    }
    return true
  }

  const read = (event: TraceEvent): void => {
    const { fields, name, status, t, type } = event
    if (type !== "step") return
    const begins = isBeginning(status)
    if (!begins && end(event)) return
    const isLeftOut = steps.length >= most
    const index = steps.length
    const durationMs = numberOf(fields["durationMs"])
    const to = durationMs === undefined ? (begins ? undefined : t) : t + durationMs
    if (to === undefined) begin(name, isLeftOut ? undefined : index)
    if (isLeftOut) {
      isWhole = false
      return
    }
    steps.push({
      index,
      name,
      status: begins ? "running" : (status ?? "passed"),
      from: t,
      to,
      depth: numberOf(fields["depth"]) ?? 0,
      message: textOf(fields["message"])
    })
  }

  return { read, known: () => ({ steps, isWhole }) }
}

/** The steps in events, at most so many of them. */
export const stepsOf = (events: Iterable<TraceEvent>, most = Infinity): KnownSteps => {
  const { known, read } = stepReader(most)
  for (const event of events) read(event)
  return known()
}

/** How long a step took; 0 if it never ended. */
export const lengthOf = ({ from, to }: Step): number => (to ?? from) - from

/** The last step that had begun at a time, if any. The steps are in the order of their beginnings. */
export const stepAt = (steps: ReadonlyArray<Step>, t: number): Step | undefined =>
  lastWithin(steps, t, ({ from }) => from)

/** Whether a step failed. */
export const isFailed = ({ status }: Pick<Step, "status">): boolean => /^(?:failed|fail|error|errored)$/i.test(status)

/**
 * The step that made a run fail: the one that the run names by its index, if that step failed or no step did; otherwise
 * the first failed step, or the innermost failed step within it.
 */
export const failingStep = (steps: ReadonlyArray<Step>, failedStepIndex: number | undefined): Step | undefined => {
  const named = failedStepIndex === undefined ? undefined : steps[failedStepIndex]
  if (named !== undefined && isFailed(named)) return named
  let found = steps.find(isFailed)
  if (found === undefined) return named
  for (const step of steps.slice(found.index + 1)) {
    if (step.depth <= found.depth) break
    if (isFailed(step)) found = step
  }
  return found
}

/** The moment that shows a step best: its end if it failed, else its beginning. */
export const momentOf = (step: Step): number => (isFailed(step) ? (step.to ?? step.from) : step.from)

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
const primitiveText = (value: unknown): string | undefined =>
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
    type: primitiveText(type) ?? "event",
    name: primitiveText(name) ?? "",
    status: primitiveText(status),
    fields
  }
}

/** The kinds of status that are drawn differently; any other word is `other`. */
type Mark = "passed" | "failed" | "warned" | "skipped" | "running" | "other"

const marks: ReadonlyArray<readonly [RegExp, Mark]> = [
  [/^(?:passed|pass|ok|completed|success|succeeded)$/i, "passed"],
  [/^(?:warned|warning|warn)$/i, "warned"],
  [/^(?:skipped|pending|todo)$/i, "skipped"],
  [/^(?:running|started)$/i, "running"]
]

export const markOf = (step: Pick<Step, "status">): Mark =>
  isFailed(step) ? "failed" : (marks.find(([form]) => form.test(step.status))?.[1] ?? "other")

/** A sign of a status, beside its colour. */
export const signs: Readonly<Record<Mark, string>> = {
  passed: "✓",
  failed: "✕",
  warned: "!",
  skipped: "–",
  running: "…",
  other: "•"
}

/** How deep a step is drawn at most, and how much of a name and of a status is shown. */
const most = { depth: 6, name: 160, status: 40 }

/** The texts of a step, the same on the server and in the script. */
interface StepDescription {
  readonly mark: Mark
  readonly depth: number
  readonly name: string
  readonly isCut: boolean
  readonly status: string
  readonly took: string
  /** Its status and times in a sentence. */
  readonly summary: string
}

export const describeStep = (step: Step): StepDescription => {
  const { from, to } = step
  const name = shortText(step.name, most.name)
  const status = shortText(step.status, most.status)
  const took = to === undefined || to === from ? "" : durationText(lengthOf(step))
  return {
    mark: markOf(step),
    depth: Math.min(Math.floor(step.depth), most.depth),
    name,
    isCut: name !== step.name,
    status,
    took,
    summary:
      to === undefined
        ? `${status}, from ${clockText(from)}, never ended`
        : took === ""
          ? `${status}, at ${clockText(from)}`
          : `${status}, from ${clockText(from)} to ${clockText(to)}, ${took}`
  }
}

/** The length of a run's clock in milliseconds: until its last recording or step ends. */
export const lengthOfRun = ({ durationMs = 0, recordings, steps }: TraceData): number => {
  const ends = [
    ...recordings.map(({ durationMs = 0, startedAtMs = 0 }) => startedAtMs + durationMs),
    ...steps.map(({ from, to = from }) => to)
  ]
  return ends.reduce((longest, end) => Math.max(longest, end), durationMs)
}

/** The moment of a run that an address points at: `#t=12.4`, in seconds. */
const form = /^#(?:[^#]*&)?t=(\d{1,9}(?:\.\d{1,9})?)s?(?:&|$)/

/** The moment that the fragment of an address names, in milliseconds. */
export const momentIn = (hash: string): number | undefined => {
  const [, seconds] = form.exec(hash) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** The fragment that names a moment, to the millisecond. */
export const hashOf = (t: number): string => `#t=${Number((Math.round(t) / 1000).toFixed(3))}`

const digits = (value: number, count: number): string => String(value).padStart(count, "0")

/** A time of a run as a clock shows it: `0:02.166`, `12:03.400`, `1:02:03.000`. */
export const clockText = (t: number): string => {
  const millis = Math.max(0, Math.round(t))
  const seconds = Math.floor(millis / 1000)
  const minutes = Math.floor(seconds / 60)
  const rest = `${digits(seconds % 60, 2)}.${digits(millis % 1000, 3)}`
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${digits(minutes % 60, 2)}:${rest}`
}

/** The last item whose time is at most `t`, if there is one. The items are ordered by time. */
export const lastWithin = <A>(all: ReadonlyArray<A>, t: number, timeOf: (one: A) => number): A | undefined => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = all[middle]
    if (one !== undefined && timeOf(one) <= t) low = middle + 1
    else high = middle
  }
  return all[low - 1]
}

/** The drawn width of a timeline, which is then stretched, and the height of a row. */
export const timelineWidth = 1000
export const rowHeight = 10

/** How many rows of nested steps a timeline has at most, and about how many steps are drawn on it. */
const maxRows = 3
export const maxBars = 1000

/** The least width of a step's bar; a failed step is wider, because people look for it. */
const narrowest = { failed: 8, any: 3 }

/** A step as it is drawn on a timeline. */
interface Bar {
  readonly step: Step
  readonly mark: Mark
  readonly x: number
  readonly width: number
  readonly row: number
}

/** The horizontal position of a time on a timeline. */
export const positionOf = (t: number, length: number): number =>
  length <= 0 ? 0 : (Math.min(Math.max(t, 0), length) / length) * timelineWidth

/** An evenly spaced selection from too many items. */
const thinned = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const every = Math.ceil(steps.length / maxBars)
  return every <= 1 ? steps : steps.filter((_, index) => index % every === 0)
}

/**
 * The bars of steps on a timeline, each wide enough to be seen. A step that never ended extends to the end. Failed
 * steps are always included, and drawn above the others.
 */
export const barsOf = (steps: ReadonlyArray<Step>, length: number): ReadonlyArray<Bar> =>
  [...thinned(steps.filter((step) => !isFailed(step))), ...thinned(steps.filter(isFailed))].map((step) => {
    const x = positionOf(step.from, length)
    const mark = markOf(step)
    const width = Math.max(
      positionOf(step.to ?? length, length) - x,
      mark === "failed" ? narrowest.failed : narrowest.any
    )
    return {
      step,
      mark,
      x: Math.round(Math.min(x, timelineWidth - width) * 10) / 10,
      width: Math.round(width * 10) / 10,
      row: Math.min(Math.floor(step.depth), maxRows - 1)
    }
  })

/** Whether there are so many bars that lines between them would hide them. */
export const areMany = (bars: ReadonlyArray<Bar>): boolean => bars.length > 120

/** How many rows a timeline of these steps has. */
export const rowsOf = (bars: ReadonlyArray<Bar>): number => bars.reduce((rows, { row }) => Math.max(rows, row + 1), 1)
