/** The events of `detox.trace.json`, which is read line by line, as Detox writes an event a line: traces get large. */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import type { ImportLog } from "../ImportLog.ts"
import { fieldsOf, itemsOf, numberOf, readJson, textOf, type Fields } from "../json.ts"

/** An event as Chrome's tracing has it; `ts` is in microseconds. */
export interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly cat: string
  /** Within a thread, what ends is what began last. */
  readonly thread: string
  readonly pid: string
  readonly at: number
  readonly args: Fields
}

const eventOf = (value: unknown): TraceEvent => {
  const { args, cat, name, ph, pid, tid, ts } = fieldsOf(value)
  return {
    ph: textOf(ph) ?? "",
    name: textOf(name) ?? "",
    cat: textOf(cat) ?? "",
    pid: String(pid),
    thread: `${String(pid)}/${String(tid)}`,
    at: (numberOf(ts) ?? 0) / 1000,
    args: fieldsOf(args)
  }
}

/** An event as Detox writes it down while it runs: `….detox.jsonl`, which is left when it is ended by a signal. */
const eventOfLog = (value: unknown): TraceEvent => {
  const { cat, msg, ph, pid, tid, time, ...args } = fieldsOf(value)
  const category = textOf(cat) ?? ""
  return {
    ph: textOf(ph) ?? "",
    name: textOf(msg) ?? "",
    cat: category,
    pid: String(pid),
    thread: `${String(pid)}/${category.split(",")[0]}/${String(tid)}`,
    at: Date.parse(textOf(time) ?? "") || 0,
    args
  }
}

const linesOf = (file: string) => createInterface({ input: createReadStream(file), crlfDelay: Infinity })

const brokenHere = "It is broken here; the whole lines before it were read."

/** The events of a log of Detox, see {@link eventOfLog}. */
export async function* eventsOfLog(file: string, log: ImportLog): AsyncGenerator<TraceEvent> {
  let line = 0
  for await (const text of linesOf(file)) {
    line += 1
    if (text === "") continue
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      log.problem({ file, line, reason: brokenHere })
      return
    }
    yield eventOfLog(value)
  }
}

/** The events of a trace. Answers at its end whether the trace is whole. */
export async function* eventsOf(file: string, log: ImportLog): AsyncGenerator<TraceEvent, boolean> {
  let number = 0
  let read = 0
  let isByLine = false
  let ended = false
  for await (const line of linesOf(file)) {
    number += 1
    const text = line.trim().replace(/,$/, "")
    if (number === 1) isByLine = text === "[" || text === ""
    if (!isByLine) break
    if (text === "]") ended = true
    if (text === "" || text === "[" || text === "]") continue
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      // Another program rewrote it, with several lines an event.
      isByLine = read > 0
      if (!isByLine) break
      log.problem({ file, line: number, reason: brokenHere })
      return false
    }
    read += 1
    yield eventOf(value)
  }
  if (isByLine && !ended) {
    log.problem({ file, line: number, reason: "It ends early; the whole lines before its end were read." })
  }
  if (isByLine) return ended
  const all = readJson(file, "$.*", log)
  for (const value of "whole" in all ? all.whole : itemsOf(all.value)) yield eventOf(value)
  return !("whole" in all) && Array.isArray(all.value)
}
