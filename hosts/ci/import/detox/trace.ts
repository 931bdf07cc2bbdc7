/** Reads `detox.trace.json`, in which Detox writes down every attempt of every test, with its steps and exact times. */
import { fieldsOf, numberOf, textOf } from "../json.ts"
import type { ImportLog } from "../ImportLog.ts"
import type { Mask } from "../mask.ts"
import { plainLine } from "../../command/plainText.ts"
import { eventsOf, eventsOfLog, type TraceEvent } from "./traceEvents.ts"
import { Worker, type OnEnd, type TracedAttempt, type TracedFile } from "./traceWorker.ts"

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
