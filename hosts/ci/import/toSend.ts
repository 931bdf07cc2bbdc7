/** What is sent of a run: valid texts without secrets, and a limited number of recordings. */
import { createHash } from "node:crypto"
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { Body, RegisterTestRun, RunAttempt } from "../../client/index.ts"
import { plainLine, plainLines } from "../../../core/model/plainText.ts"
import { isText } from "./files.ts"
import { headOf } from "../command/walk.ts"
import type { Mask } from "./mask.ts"
import {
  type ImportLog,
  lastAttempt,
  type RecordedAttempt,
  type RecordedFile,
  type RecordedRun,
  type Step
} from "./recordedRun.ts"

/** A recording to send: a file, which is read when it is sent, or a text. */
type ToSend = Omit<RecordedFile, "path" | "startedAt" | "ofFailure"> & {
  readonly startedAtMs: number
  readonly from: { readonly path: string; readonly isMasked: boolean } | { readonly text: string }
}

/** A run to register, but for its preview. */
export interface RunToSend {
  /** Its source: a file or folder on this machine. */
  readonly recordedIn: string
  readonly run: Omit<RegisterTestRun, "previewShareId" | "owner" | "repo">
  readonly recordings: ReadonlyArray<ToSend>
}

/** The host's limits for one preview: see `docs/api-behavior.md`. */
const maxRecordings = 100
const maxBytes = 512 * 2 ** 20
const maxBytesTogether = 2 * 2 ** 30
const maxAttempts = 20

/** A recording that began up to so long before the test moves the beginning of the clock; an older one is cut off by it. */
const before = 60_000

/** The instant at which the clock of a run begins: that of its first attempt, step or recording. */
const zeroOf = ({ attempts }: RecordedRun): number => {
  const starts = attempts.flatMap(({ startedAt, steps }) => [
    ...(startedAt === undefined ? [] : [startedAt]),
    ...steps.map((step) => step.startedAt)
  ])
  const recorded = attempts.flatMap(({ recordings }) => recordings.flatMap(({ startedAt }) => startedAt ?? []))
  if (starts.length === 0) return recorded.length === 0 ? 0 : recorded.reduce((one, other) => Math.min(one, other))
  const start = starts.reduce((one, other) => Math.min(one, other))
  return recorded.reduce((one, other) => (other < one && other >= start - before ? other : one), start)
}

/** Each name once: the host keeps recordings in a list, people look for them by their names. */
const named = (names: Set<string>, name: string): string => {
  for (let number = 1; ; number += 1) {
    const one = number === 1 ? name : name.replace(/(\.\w+)?$/, ` (${number})$1`)
    if (names.has(one)) continue
    names.add(one)
    return one
  }
}

const recordingsOf = (run: RecordedRun, zero: number, mask: Mask, most: number, log: ImportLog) => {
  const all = run.attempts.flatMap(({ recordings }, index) =>
    recordings.map((recording) => ({
      recording,
      name: run.attempts.length === 1 ? recording.name : `attempt-${index + 1}/${recording.name}`
    }))
  )
  const failuresFirst = [
    ...all.filter(({ recording }) => recording.ofFailure),
    ...all.filter(({ recording }) => !recording.ofFailure)
  ]
  const kept = new Set<(typeof all)[number]>()
  let bytes = 0
  for (const one of failuresFirst) {
    const { path, text } = one.recording
    const size = text === undefined ? statSync(path).size : Buffer.byteLength(text)
    const reason =
      size === 0
        ? "it is empty"
        : size > maxBytes
          ? `it has ${size} bytes, more than the limit of ${maxBytes}`
          : bytes + size > maxBytesTogether
            ? `the recordings of the run have more than ${maxBytesTogether} bytes together`
            : undefined
    if (reason !== undefined) log.problem({ file: one.recording.path, reason: `It is not sent: ${reason}.` })
    else if (kept.size < most) {
      kept.add(one)
      bytes += size
    }
  }
  const tooMany = all.length - kept.size
  if (kept.size === most && tooMany > 0) {
    log.note(
      `Of ${JSON.stringify(run.name)}, ${most} of ${all.length} recordings are sent, which is the limit of a host. Those of failures come first.`
    )
  }
  const names = new Set<string>(["events.jsonl"])
  return all
    .filter((one) => kept.has(one))
    .map(({ name, recording }): ToSend => {
      const { contentType, durationMs, kind, path, startedAt, text } = recording
      return {
        name: named(names, plainLine(mask.text(name), 1000) || "recording"),
        kind,
        contentType,
        startedAtMs: Math.max(0, Math.round((startedAt ?? zero) - zero)),
        durationMs: durationMs === undefined ? undefined : Math.max(0, Math.round(durationMs)),
        from: text === undefined ? { path, isMasked: isText(recording) || looksText(path) } : { text: mask.text(text) }
      }
    })
}

const count = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.max(0, Math.round(value))

const failure = (message: string | undefined, mask: Mask): string | undefined => {
  const text = message === undefined ? "" : plainLines(mask.text(plainLines(message, Infinity)))
  return text === "" ? undefined : text
}

const tagsOf = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(tags.map((tag) => plainLine(tag, 100)))].filter((tag) => tag !== "").slice(0, 50)

/** Makes a run ready to be sent. */
export const toSend = (recorded: RecordedRun, mask: Mask, log: ImportLog): RunToSend => {
  const { attempts, device, file, kind, name, tags } = recorded
  const last = lastAttempt(recorded)
  const zero = zeroOf(recorded)
  const { failingStep, steps } = stepsOfRun(recorded)
  const lines = eventLines(steps, zero, mask)
  const events: ReadonlyArray<ToSend> =
    lines === ""
      ? []
      : [
          {
            name: "events.jsonl",
            kind: "events",
            contentType: "application/x-ndjson",
            startedAtMs: 0,
            durationMs: undefined,
            from: { text: lines }
          }
        ]
  if (attempts.length > maxAttempts) {
    log.note(`Of ${JSON.stringify(name)}, the last ${maxAttempts} of ${attempts.length} attempts are sent.`)
  }
  const lastAttempts = attempts.slice(-maxAttempts).map((attempt): RunAttempt => ({
    status: attempt.status === "passed" ? "passed" : "failed",
    ...withoutUndefined({
      durationMs: count(attempt.durationMs),
      failureMessage: attempt.status === "passed" ? undefined : failure(attempt.failureMessage, mask)
    })
  }))
  const first = attempts.find(({ startedAt }) => startedAt !== undefined)?.startedAt
  const kept = tagsOf(tags)
  return {
    recordedIn: recorded.from,
    run: {
      kind,
      name: plainLine(name) || "A test without a name",
      status: last.status,
      ...withoutUndefined({
        // A report alone has no steps, which is not the same as zero steps.
        stepCount: steps.length === 0 ? undefined : steps.length,
        durationMs: count(last.durationMs),
        failureMessage: last.status === "passed" ? undefined : failure(last.failureMessage, mask),
        failedStepIndex: last.status === "passed" ? undefined : failingStep,
        startedAt: first === undefined ? undefined : new Date(first).toISOString(),
        device,
        file: file === undefined ? undefined : plainLine(file.replaceAll("\\", "/")) || undefined
      }),
      ...(attempts.length === 1 ? {} : { attempts: lastAttempts }),
      ...(kept.length === 0 ? {} : { tags: kept })
    },
    recordings: [...events, ...recordingsOf(recorded, zero, mask, maxRecordings - events.length, log)]
  }
}

// The steps of a run as the events that its page reads: `hosts/viewer/trace/README.md`.

/** The steps of all attempts, and which of them failed the run. */
interface RunSteps {
  readonly steps: ReadonlyArray<Step>
  readonly failingStep: number | undefined
}

/** An attempt as a step around its own. */
const around = (attempt: RecordedAttempt, number: number): Step => ({
  name: `Attempt ${number}`,
  status: attempt.status,
  startedAt: Math.min(attempt.startedAt ?? Infinity, attempt.steps[0]?.startedAt ?? Infinity),
  durationMs: attempt.durationMs,
  depth: 0,
  message: attempt.steps.length === 0 ? attempt.failureMessage : undefined
})

/** The steps in the order of their beginnings. Of more than one attempt, each is a step around its own. */
export const stepsOfRun = ({ attempts }: RecordedRun): RunSteps => {
  const isTimed = attempts.every(({ startedAt, steps }) => startedAt !== undefined || steps.length > 0)
  const isGrouped = attempts.length > 1 && isTimed
  let failing: Step | undefined
  const all = attempts.flatMap((attempt, index) => {
    const isLast = index === attempts.length - 1
    // The steps that are played again are those of the last attempt.
    const own = isGrouped
      ? attempt.steps.map((step) => ({
          ...step,
          depth: step.depth + 1,
          flowCommand: isLast ? step.flowCommand : undefined
        }))
      : attempt.steps
    const whole = isGrouped ? [around(attempt, index + 1)] : []
    if (isLast && attempt.failingStep !== undefined) failing = own[attempt.failingStep]
    return [...whole, ...own]
  })
  const steps = all.toSorted((one, other) => one.startedAt - other.startedAt)
  const failingStep = failing === undefined ? -1 : steps.indexOf(failing)
  return { steps, failingStep: failingStep === -1 ? undefined : failingStep }
}

/** A value with its texts masked, at any depth. */
const maskedValue = (value: unknown, mask: Mask): unknown => {
  if (typeof value === "string") return mask.text(value)
  if (Array.isArray(value)) return value.map((one: unknown) => maskedValue(one, mask))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValue(one, mask)]))
}

/** The most characters of a command as JSON; of a longer one only the name is sent. */
const longestCommand = 4000

const commandOf = (command: NonNullable<Step["flowCommand"]>, mask: Mask): unknown => {
  const sent = maskedValue(command, mask)
  const isShort = JSON.stringify(sent).length <= longestCommand
  return isShort || typeof command === "string" ? sent : Object.keys(command)[0]
}

/** A line for each step; times count from `zero`. */
export const eventLines = (steps: ReadonlyArray<Step>, zero: number, mask: Mask): string =>
  steps
    .map(({ depth, durationMs, flowCommand, message, name, startedAt, status }) => {
      const isRunning = status === "running"
      const event = {
        t: Math.max(0, Math.round(startedAt - zero)),
        type: "step",
        name: mask.text(name),
        status: isRunning ? "started" : status,
        durationMs: isRunning ? undefined : (durationMs ?? 0),
        depth: depth === 0 ? undefined : depth,
        message: message === undefined ? undefined : mask.text(message),
        command: flowCommand === undefined ? undefined : commandOf(flowCommand, mask)
      }
      return `${JSON.stringify(event)}\n`
    })
    .join("")

// The bytes of recordings, read as they are sent. Of a text, the secrets are hidden line by line.

/** A line that is longer is sent in parts: a log may be one line of gigabytes. */
const longest = 2 ** 20

/** So much of a part waits for the next one: a secret may have begun in it. */
const waiting = 2 ** 16

const readBytes = 256 * 1024

/**
 * Reads a file into the same memory again and again, which is no larger than the file. It blocks: most recordings are small, and
 * to wait for a thread that opens, reads and closes takes several times as long as the work.
 */
function* fileChunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r")
  try {
    const memory = new Uint8Array(Math.min(readBytes, fstatSync(file).size + 1))
    for (;;) {
      const length = readSync(file, memory)
      if (length === 0) return
      yield memory.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}

/** So much of a file shows whether it is a text. */
const shownBytes = 8192

const encodingOf = ([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"

/** Whether a file is a text by its bytes, whatever it is called. */
export const looksText = (path: string): boolean => {
  const bytes = headOf(path, shownBytes)
  if (encodingOf(bytes) !== "utf-8") return true
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
    return !text.includes("\0")
  } catch {
    // Of one byte a character, as Windows writes it.
    // oxlint-disable-next-line no-control-regex
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(Buffer.from(bytes).toString("latin1"))
  }
}

function* masked(path: string, mask: Mask): Generator<Uint8Array> {
  const decoder = new TextDecoder(encodingOf(headOf(path, shownBytes)), { ignoreBOM: true })
  let rest = ""
  for (const chunk of fileChunks(path)) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf("\n") + 1
    if (end > 0) {
      yield Buffer.from(mask.text(text.slice(0, end)))
      rest = text.slice(end)
    } else if (text.length > longest) {
      const line = mask.text(text)
      yield Buffer.from(line.slice(0, -waiting))
      rest = line.slice(-waiting)
    } else rest = text
  }
  const last = rest + decoder.decode()
  if (last !== "") yield Buffer.from(mask.text(last))
}

type Open = () => Iterable<Uint8Array>

/** Opens the bytes of a recording again at each call. */
export const bytesOf = ({ from }: ToSend, mask: Mask): Open => {
  if ("text" in from) {
    return () => [Buffer.from(from.text)]
  }
  return from.isMasked ? () => masked(from.path, mask) : () => fileChunks(from.path)
}

/** The bytes of a body that is not larger are kept until it is sent. */
const maxKept = 2 ** 18

/** How many bytes there are, their SHA-256, and the same bytes again. */
export const measure = (
  open: Open
): { readonly sizeBytes: number; readonly contentHash: string; readonly body: Body } => {
  const hash = createHash("sha256")
  const kept: Array<Uint8Array> = []
  let sizeBytes = 0
  for (const chunk of open()) {
    hash.update(chunk)
    sizeBytes += chunk.byteLength
    if (sizeBytes <= maxKept) kept.push(chunk.slice())
  }
  const again = async function* () {
    yield* open()
  }
  return { sizeBytes, contentHash: hash.digest("hex"), body: sizeBytes <= maxKept ? Buffer.concat(kept) : again }
}
