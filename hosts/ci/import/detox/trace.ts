/** Reads `detox.trace.json`, in which Detox writes down every attempt of every test, with its steps and exact times. */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { plainLine, plainLines } from "../../../../core/model/plainText.ts"
import { type Fields, fieldsOf, itemsOf, numberOf, readJson, textOf } from "../json.ts"
import { hidden, type Mask } from "../mask.ts"
import { type ImportLog, interrupted, type Step } from "../recordedRun.ts"
import { isEnd, notRunAs } from "./jest.ts"

export interface Trace {
  readonly path: string
  /** Whether Detox wrote it to its end, so that it lists every attempt. */
  readonly isWhole: boolean
  /** Why a test may have failed that the trace doesn't list. */
  readonly interruption: string | undefined
  readonly attempts: ReadonlyArray<TracedAttempt>
  readonly files: ReadonlyArray<TracedFile>
  readonly platform: string | undefined
}

const isStep = ({ cat }: TraceEvent): boolean => cat === "device" || cat.split(",").includes("ws-client-invocation")

/** What the events so far tell. */
class Reader {
  readonly workers = new Map<string, Worker>()
  platform: string | undefined
  /** How the last run of Jest failed. */
  jestFailure: { readonly begun: number; readonly reason: string } | undefined
  /** What each thread has begun and not ended. */
  private readonly open = new Map<string, Array<OnEnd>>()
  private readonly mask: Mask

  constructor(mask: Mask) {
    this.mask = mask
  }

  private workerOf(pid: string): Worker {
    const worker = this.workers.get(pid) ?? new Worker(this.mask)
    this.workers.set(pid, worker)
    return worker
  }

  /** A run of Jest, of which `detox test --retries` makes several. */
  private beginJest(begun: number): OnEnd {
    return ({ args }) => {
      const code = numberOf(args["code"])
      this.jestFailure =
        args["success"] === false ? { begun, reason: `Jest ended with the exit code ${code ?? "unknown"}` } : undefined
    }
  }

  private begin(event: TraceEvent, depth: number): OnEnd {
    const { args, cat, name, pid } = event
    const worker = this.workerOf(pid)
    if (isStep(event)) return worker.beginStep(event)
    if (cat === "lifecycle,cli") return this.beginJest(event.at)
    if (cat !== "lifecycle,jest-environment") return () => {}
    if (depth === 0) return worker.beginFile(event)
    if (name === "run the tests") worker.file.ran = true
    if (args["context"] === "test") return worker.beginTest(event)
    if (worker.test !== undefined) return worker.beginPart(event, worker.test.parts)
    return typeof args["functionCode"] === "string" ? worker.beginPart(event, undefined) : () => {}
  }

  take(event: TraceEvent): void {
    const { args, at, cat, name, ph, pid, thread } = event
    if (cat === "lifecycle" && this.platform === undefined) {
      const config = fieldsOf(fieldsOf(args["data"])["detoxConfig"])
      this.platform = /^(ios|android)\b/.exec(textOf(fieldsOf(config["device"])["type"]) ?? "")?.[1]
    }
    const worker = this.workerOf(pid)
    worker.lastAt = Math.max(worker.lastAt, at)
    const assigned = ph === "i" ? / is assigned to (.+)$/.exec(name)?.[1] : undefined
    if (assigned !== undefined) worker.file.device = plainLine(assigned, 200)
    const stack = this.open.get(thread) ?? []
    this.open.set(thread, stack)
    if (ph === "B") stack.push(this.begin(event, stack.length))
    else if (ph === "E") stack.pop()?.(event)
  }

  /** What every process did so far, in the order in which it ended. */
  found(): { readonly attempts: ReadonlyArray<TracedAttempt>; readonly files: ReadonlyArray<TracedFile> } {
    const workers = [...this.workers.values()]
    const byEnd = (a: { readonly endedAt: number }, b: { readonly endedAt: number }) => a.endedAt - b.endedAt
    return {
      attempts: workers.flatMap(({ attempts }) => attempts).toSorted(byEnd),
      files: workers.flatMap(({ files }) => files).toSorted(byEnd)
    }
  }
}

/** Why a test may have failed that the trace doesn't list. */
const interruptionOf = (
  { attempts, files }: ReturnType<Reader["found"]>,
  isWhole: boolean,
  jestFailure: Reader["jestFailure"]
): string | undefined => {
  if (!isWhole) return "Detox wrote its trace to no end, so that it misses tests"
  if (jestFailure === undefined) return undefined
  const isListed =
    attempts.some(({ endedAt, status }) => status === "failed" && endedAt >= jestFailure.begun) ||
    files.some(({ endedAt, isFailed }) => isFailed && endedAt >= jestFailure.begun)
  return isListed ? undefined : `${jestFailure.reason}, and no failed test is listed`
}

/**
 * Reads a trace, or the logs that Detox would have made it of. What its tests typed is hidden from now on. What began and never
 * ended has failed.
 */
export const readTrace = async (
  path: string,
  logs: ReadonlyArray<string>,
  mask: Mask,
  log: ImportLog
): Promise<Trace> => {
  const reader = new Reader(mask)
  let isWhole = false
  if (logs.length === 0) {
    const events = eventsOf(path, log)
    let next = await events.next()
    for (; next.done !== true; next = await events.next()) reader.take(next.value)
    isWhole = next.value
  }
  for (const file of logs) for await (const event of eventsOfLog(file, log)) reader.take(event)

  const ended = reader.found()
  for (const worker of reader.workers.values()) worker.interrupt()
  const { attempts, files } = reader.found()
  const isInterrupted = attempts.length + files.length > ended.attempts.length + ended.files.length
  const interruption = isInterrupted ? undefined : interruptionOf(ended, isWhole, reader.jestFailure)
  return { path, isWhole, interruption, attempts, files, platform: reader.platform }
}

// The events of `detox.trace.json`, which is read line by line, as Detox writes an event a line: traces get large.

/** An event as Chrome's tracing has it; `ts` is in microseconds. */
interface TraceEvent {
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
async function* eventsOfLog(file: string, log: ImportLog): AsyncGenerator<TraceEvent> {
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
async function* eventsOf(file: string, log: ImportLog): AsyncGenerator<TraceEvent, boolean> {
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

// The steps of a test as a trace has them: calls of Detox within hooks and the function of the test.

/** A hook, or the function of a test, which Detox calls `test_fn`. */
interface Part {
  readonly name: string
  readonly startedAt: number
  endedAt: number | undefined
  error: string | undefined
  readonly steps: Array<OpenStep>
}

/** A call of Detox, and how it ended so far. */
interface OpenStep {
  readonly name: string
  readonly startedAt: number
  endedAt: number | undefined
  status: string
  message: string | undefined
}

/** The steps of a part, in the order of their beginnings; a step within another is deeper. */
const stepsOf = ({ steps }: Part, depth: number): ReadonlyArray<Step> => {
  const around: Array<number> = []
  return steps.map(({ endedAt, message, name, startedAt, status }) => {
    while ((around.at(-1) ?? Infinity) < (endedAt ?? Infinity)) around.pop()
    const step = {
      name,
      status,
      startedAt: Math.round(startedAt),
      durationMs: endedAt === undefined ? undefined : Math.round(endedAt - startedAt),
      depth: depth + around.length,
      message
    }
    around.push(endedAt ?? Infinity)
    return step
  })
}

/**
 * The steps of an attempt. A hook is a step where it has steps or failed; the function of the test only where it failed
 * and none of its steps did, as after an `expect` of Jest.
 */
const stepsOfParts = (parts: ReadonlyArray<Part>) => {
  const steps: Array<Step> = []
  let failingStep: number | undefined
  for (const part of parts) {
    const isTest = part.name === "test_fn"
    const inner = stepsOf(part, isTest ? 0 : 1)
    const failed = inner.findLastIndex(({ status }) => status === "failed")
    const before = steps.length
    const whole: Step = {
      name: part.name,
      status: part.error === undefined ? (part.endedAt === undefined ? "running" : "passed") : "failed",
      startedAt: Math.round(part.startedAt),
      durationMs: part.endedAt === undefined ? undefined : Math.round(part.endedAt - part.startedAt),
      depth: 0,
      message: part.error
    }
    const isShown = isTest ? part.error !== undefined && failed === -1 : inner.length > 0 || part.error !== undefined
    // The function of the test fails after its steps, a hook around them.
    steps.push(...(isShown && !isTest ? [whole] : []), ...inner)
    if (isShown && isTest) steps.push({ ...whole, startedAt: whole.startedAt + (whole.durationMs ?? 0), durationMs: 0 })
    if (part.error === undefined || failingStep !== undefined) continue
    if (failed !== -1) failingStep = before + failed + (isShown ? 1 : 0)
    else failingStep = isTest ? steps.length - 1 : before
  }
  return { steps, failingStep }
}

// What one process did: a worker of Jest, which runs one test at a time.

/** An attempt of a test. */
export interface TracedAttempt {
  /** The file of the test, as Jest was started with it. */
  readonly file: string
  readonly fullName: string
  readonly invocation: number
  /** `passed`, `failed`, `skip`, `todo`. */
  readonly status: string
  readonly startedAt: number
  readonly endedAt: number
  readonly steps: ReadonlyArray<Step>
  readonly failingStep: number | undefined
  readonly failureMessage: string | undefined
  /** Whether its outcome is unknown, so that it counts as failed. */
  readonly isOpen: boolean
  readonly device: string | undefined
  /** The screenshots that the test took by name, and when. */
  readonly screenshots: ReadonlyArray<{ readonly name: string; readonly at: number }>
  /** When each part of it ended: `test_fn`, `beforeEach`, … */
  readonly partEnds: ReadonlyMap<string, number>
}

/** A file of tests as it was run once. */
export interface TracedFile {
  readonly file: string
  /** Whether it failed as a whole: it didn't load, or a hook after its tests failed. */
  readonly isFailed: boolean
  /** Whether it never ended, so that tests of it may be missing. */
  readonly isOpen: boolean
  readonly startedAt: number
  readonly endedAt: number
  readonly failureMessage: string | undefined
  readonly steps: ReadonlyArray<Step>
  readonly failingStep: number | undefined
}

const joined = (messages: ReadonlyArray<string>): string | undefined =>
  messages.length === 0 ? undefined : [...new Set(messages)].join("\n\n")

const errorOf = ({ error, success }: Fields): string | undefined => {
  if (success !== false) return undefined
  return plainLines(withoutTyped(textOf(error) ?? "It failed."))
}

/** What to do at the end of what an event begins. */
type OnEnd = (end: TraceEvent) => void

class Worker {
  readonly attempts: Array<TracedAttempt> = []
  readonly files: Array<TracedFile> = []
  file = { name: "", startedAt: 0, ran: false, isOpen: false, device: undefined as string | undefined }
  test:
    | {
        readonly parts: Array<Part>
        /** Takes the attempt for one that ended now; `interruption` says why its outcome is unknown. */
        readonly end: (at: number, status: string, interruption?: string) => void
      }
    | undefined
  lastAt = 0
  /** The part that steps belong to now. */
  private part: Part | undefined
  /** Hooks around tests that failed: before the tests, whose failure is theirs, and after them. */
  private readonly failedBefore: Array<Part> = []
  private readonly failedAfter: Array<Part> = []
  private readonly mask: Mask

  constructor(mask: Mask) {
    this.mask = mask
  }

  beginStep({ args, at, name }: TraceEvent): OnEnd {
    hideTyped(name, args, this.mask)
    const texts = itemsOf(args["args"]).filter((one) => typeof one === "string")
    const step: OpenStep = {
      name: plainLine(withoutTyped([name, ...texts].join(" "))),
      startedAt: at,
      endedAt: undefined,
      status: "running",
      message: undefined
    }
    this.part?.steps.push(step)
    return (end: TraceEvent) => {
      step.endedAt = end.at
      step.message = errorOf(end.args)
      step.status = end.args["success"] === false ? "failed" : "passed"
    }
  }

  beginPart({ at, name }: TraceEvent, parts: Array<Part> | undefined): OnEnd {
    const part: Part = { name, startedAt: at, endedAt: undefined, error: undefined, steps: [] }
    const outer = this.part
    this.part = part
    parts?.push(part)
    return (end: TraceEvent) => {
      part.endedAt = end.at
      part.error = errorOf(end.args)
      this.part = outer
      if (parts === undefined && part.error !== undefined) {
        const failed = name === "beforeAll" ? this.failedBefore : this.failedAfter
        failed.push(part)
      }
    }
  }

  beginTest({ args, at }: TraceEvent): OnEnd {
    const fullName = textOf(args["fullName"]) ?? ""
    const ownParts: Array<Part> = []
    const ended = (endedAt: number, status: string, interruption?: string) => {
      this.test = undefined
      // Jest doesn't run a test whose `beforeAll` failed: that hook is what failed it.
      const ownFailed = ownParts.some(({ error }) => error !== undefined)
      const isHookFailed = status === "failed" && interruption === undefined && !ownFailed
      const parts = isHookFailed ? [...this.failedBefore, ...ownParts] : ownParts
      const { failingStep, steps } = stepsOfParts(parts)
      const open = interruption === undefined ? -1 : steps.findLastIndex((step) => step.status === "running")
      const screenshots = parts.flatMap((part) =>
        part.steps.flatMap(({ endedAt, name, startedAt }) =>
          name.startsWith("takeScreenshot ") ? [{ name: name.slice(15), at: endedAt ?? startedAt }] : []
        )
      )
      const message = joined(parts.flatMap(({ error }) => error ?? []))
      this.attempts.push({
        file: this.file.name,
        fullName,
        invocation: numberOf(args["invocations"]) ?? 1,
        status,
        startedAt: at,
        endedAt,
        steps,
        failingStep: status === "failed" ? (failingStep ?? (open === -1 ? undefined : open)) : undefined,
        failureMessage:
          interruption !== undefined ? interrupted(interruption, message) : status === "failed" ? message : undefined,
        isOpen: interruption !== undefined,
        device: this.file.device,
        screenshots,
        partEnds: new Map(
          parts.flatMap(({ endedAt, name }) => (endedAt === undefined ? [] : [[name, endedAt] as const]))
        )
      })
    }
    this.test = { parts: ownParts, end: ended }
    return (end: TraceEvent) => {
      const status = textOf(end.args["status"]) ?? "failed"
      if (isEnd(status) || notRunAs(status) !== undefined) ended(end.at, status)
      else ended(end.at, "failed", `Detox says ${plainLine(status, 100)} of the test`)
    }
  }

  beginFile({ at, name }: TraceEvent): OnEnd {
    this.file = { name, startedAt: at, ran: false, isOpen: true, device: undefined }
    this.failedBefore.length = 0
    this.failedAfter.length = 0
    return (end: TraceEvent) => {
      const { failedAfter, file } = this
      file.isOpen = false
      this.files.push({
        file: file.name,
        isFailed: !file.ran || failedAfter.length > 0,
        isOpen: false,
        startedAt: file.startedAt,
        endedAt: end.at,
        failureMessage: joined(failedAfter.flatMap(({ error }) => error ?? [])),
        ...stepsOfParts(failedAfter)
      })
    }
  }

  /** What was in progress when the trace ended has failed. */
  interrupt(): void {
    const { file, lastAt, test } = this
    if (test !== undefined) test.end(lastAt, "failed", "the test began and never ended")
    else if (file.isOpen) {
      this.files.push({
        file: file.name,
        isFailed: true,
        isOpen: true,
        startedAt: file.startedAt,
        endedAt: lastAt,
        failureMessage: interrupted("the file began and never ended, so that tests in it may not have run"),
        steps: [],
        failingStep: undefined
      })
    }
  }
}

// The text that Detox types, from its descriptions of actions and the source code in its messages.

const described = /\b((?:type|replace) input text: ")(.*)(")(?= on | in content editable|$)/s

/** Source code may be part of a message: Jest shows the lines around a failure. */
const inCode = /\b(\w*(?:typeText|replaceText|TextInput|setClipboard|setPassword|fill)\(\s*)(["'`])(.*?)\2/gi

/** A text without what it says was typed. */
export const withoutTyped = (text: string): string =>
  text.replace(described, `$1${hidden}$3`).replaceAll(inCode, `$1$2${hidden}$2`)

/** Hides what a step types from now on. */
const hideTyped = (name: string, { args }: Fields, mask: Mask): void => {
  const typed = described.exec(name)?.[2]
  if (typed !== undefined) mask.hide(typed)
  // Older Detox has the arguments beside the name.
  if (/\b(?:typeText|replaceText)\b/.test(name)) for (const one of itemsOf(args)) mask.hide(textOf(one) ?? "")
}

/** Hides what the source code in a message types. */
export const hideTypedIn = (message: string, mask: Mask): void => {
  for (const [, , , typed = ""] of message.matchAll(inCode)) mask.hide(typed)
}
