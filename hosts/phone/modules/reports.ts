/** What an app reports about itself: its performance and its errors. */
import type { Calls } from "../runtime/calls.ts"
import { type Fields, fieldsIn, functionIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import type { Modules } from "./Host.ts"
import { requiredIn } from "./absent.ts"

/** React Native requires a timeline of the phone since 0.88; older versions work without one. */
export const performanceTimeline: Modules = ({ bundle, calls }) =>
  requiredIn(bundle).has("NativePerformanceCxx") ? { NativePerformanceCxx: makeTimeline(calls) } : {}

/** The timeline that `performance` and `PerformanceObserver` of an app use: its marks and measures. */
export const makeTimeline = (calls: Pick<Calls, "call">) => {
  let entries: ReadonlyArray<Entry> = []
  const observers = new Set<Observer>()

  /** Observers are called once for all that was added meanwhile, after the app is done. */
  const give = (observer: Observer, added: ReadonlyArray<Entry>): void => {
    if (added.length === 0) return
    if (observer.waiting.length === 0) setTimeout(observer.notify)
    observer.waiting.push(...added)
  }
  const add = (name: unknown, entryType: number, startTime: unknown, duration: unknown): void => {
    const entry = {
      name: textIn(name) ?? "",
      entryType,
      startTime: numberIn(startTime) ?? performance.now(),
      duration: numberIn(duration) ?? 0
    }
    entries = [...entries, entry].slice(-maxEntries)
    for (const observer of observers) if (observer.types.includes(entryType)) give(observer, [entry])
  }
  const clear = (entryType: number) => (name: unknown) => {
    entries = entries.filter((entry) => entry.entryType !== entryType || (textIn(name) ?? entry.name) !== entry.name)
  }

  return {
    now: () => performance.now(),
    timeOrigin: () => performance.timeOrigin,
    reportMark: (name: unknown, startTime: unknown) => add(name, mark, startTime, 0),
    reportMeasure: (name: unknown, startTime: unknown, duration: unknown) => add(name, measure, startTime, duration),
    getMarkTime: (name: unknown) =>
      entries.findLast((entry) => entry.entryType === mark && entry.name === name)?.startTime,
    clearMarks: clear(mark),
    clearMeasures: clear(measure),
    getEntries: () => byStart(entries),
    getEntriesByName: (name: unknown, type: unknown) =>
      byStart(entries.filter((entry) => entry.name === name && (type ?? entry.entryType) === entry.entryType)),
    getEntriesByType: (type: unknown) => byStart(entries.filter(({ entryType }) => entryType === type)),
    getEventCounts: () => [],
    getSimpleMemoryInfo: () => ({}),
    getReactNativeStartupTiming: () => ({}),
    getSupportedPerformanceEntryTypes: () => [mark, measure],
    createObserver: (notify: unknown): Observer => {
      const callback = functionIn(notify)
      return new Observer(() => callback && calls.call(callback))
    },
    observe: (observer: unknown, options: unknown) => {
      if (!(observer instanceof Observer)) return
      const { buffered, entryTypes, type } = fieldsIn(options)
      observer.types = type === undefined ? listIn(entryTypes) : [...observer.types, type]
      observers.add(observer)
      if (buffered === true)
        give(
          observer,
          entries.filter(({ entryType }) => entryType === type)
        )
    },
    disconnect: (observer: unknown) => {
      if (!(observer instanceof Observer)) return
      observers.delete(observer)
      observer.types = []
      observer.waiting = []
    },
    takeRecords: (observer: unknown) => {
      if (!(observer instanceof Observer)) return []
      const records = observer.waiting
      observer.waiting = []
      return byStart(records)
    },
    getDroppedEntriesCount: () => 0,
    clearEventCountsForTesting: () => {}
  }
}

/** An entry of the timeline, with the number that React Native has for its type. Times are in milliseconds. */
interface Entry {
  readonly name: string
  readonly entryType: number
  readonly startTime: number
  readonly duration: number
}

class Observer {
  types: ReadonlyArray<unknown> = []
  waiting: Array<Entry> = []
  readonly notify: () => void
  constructor(notify: () => void) {
    this.notify = notify
  }
}

const [mark, measure] = [1, 2]

/** How many entries the timeline keeps, the newest. */
const maxEntries = 1000

const byStart = (entries: ReadonlyArray<Entry>) => entries.toSorted((a, b) => a.startTime - b.startTime)

/** A fatal error of the app: a phone would end it, here the page shows it. */
export const errors: Modules = ({ notes, startAgain }) => {
  const end = (report: Fields): void => {
    if (startAgain()) return
    const error = errorOf(report)
    reportError(error)
    notes.crashed(error.stack ?? error.message)
  }
  const fatal = (message: string, stack: ReadonlyArray<unknown>): void => end({ message, stack })
  return {
    ExceptionsManager: {
      reportFatalException: fatal,
      reportSoftException: () => {},
      // What isn't fatal, and what is as well, has been written to the console before.
      reportException: (report: unknown): void => {
        const fields = fieldsIn(report)
        if (fields["isFatal"] === true) end(fields)
      },
      updateExceptionMessage: () => {},
      dismissRedbox: () => {}
    }
  }
}

/** An error as React Native reports it, as one that a browser reports. */
const errorOf = (report: Fields): Error => {
  const error = new Error(textIn(report["originalMessage"]) ?? textIn(report["message"]) ?? "")
  const name = textIn(report["name"])
  if (name !== undefined) error.name = name
  const raw = textIn(fieldsIn(report["extraData"])["rawStack"])
  const message = textIn(report["message"]) ?? error.message
  error.stack = raw ?? [message, ...listIn(report["stack"]).map(frameText)].join("\n")
  return error
}

const frameText = (value: unknown): string => {
  const frame = fieldsIn(value)
  const where = `${textIn(frame["file"]) ?? ""}:${numberIn(frame["lineNumber"]) ?? 0}:${numberIn(frame["column"]) ?? 0}`
  return `    at ${textIn(frame["methodName"]) ?? "?"} (${where})`
}
