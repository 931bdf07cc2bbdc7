import type { Calls } from "../runtime/calls.ts"
import { fieldsIn, functionIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { requiredIn } from "./evidence.ts"
import type { Modules } from "./Host.ts"

/** An entry of the timeline, with the number that React Native has for its type. Times are in milliseconds. */
interface Entry {
  readonly name: string
  readonly entryType: number
  readonly startTime: number
  readonly duration: number
}

const [mark, measure] = [1, 2]
/** How many entries the timeline keeps, the newest. */
const mostEntries = 1000

class Observer {
  types: ReadonlyArray<unknown> = []
  waiting: Array<Entry> = []
  readonly notify: () => void
  constructor(notify: () => void) {
    this.notify = notify
  }
}

const byStart = (entries: ReadonlyArray<Entry>) => entries.toSorted((a, b) => a.startTime - b.startTime)

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
    entries = [...entries, entry].slice(-mostEntries)
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
      const taken = observer.waiting
      observer.waiting = []
      return byStart(taken)
    },
    getDroppedEntriesCount: () => 0,
    clearEventCountsForTesting: () => {}
  }
}

/** React Native requires a timeline of the phone since 0.88; older versions work without one. */
export const performanceTimeline: Modules = ({ bundle, calls }) =>
  requiredIn(bundle).has("NativePerformanceCxx") ? { NativePerformanceCxx: makeTimeline(calls) } : {}
