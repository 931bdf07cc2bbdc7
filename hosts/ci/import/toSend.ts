/** What is sent of a run: valid texts without secrets, and a limited number of recordings. */
import { statSync } from "node:fs"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { RegisterTestRun, RunAttempt } from "../../client/index.ts"
import { eventLines, stepsOfRun } from "./events.ts"
import { looksText, type BytesToSend } from "./bodies.ts"
import { isText } from "./files.ts"
import type { Mask } from "./mask.ts"
import { plainLine, plainLines } from "../command/plainText.ts"
import { lastAttempt, type RecordedFile, type RecordedRun } from "./recordedRun.ts"
import type { ImportLog } from "./ImportLog.ts"

/** A recording to send: a file, which is read when it is sent, or a text. */
export type ToSend = Omit<RecordedFile, "path" | "startedAt" | "ofFailure"> &
  BytesToSend & { readonly startedAtMs: number }

/** A run to register, but for its preview. */
export interface RunToSend {
  /** Its source: a file or folder on this machine. */
  readonly recordedIn: string
  readonly run: Omit<RegisterTestRun, "previewShareId" | "owner" | "repo">
  readonly recordings: ReadonlyArray<ToSend>
}

/** The host's limits for one preview: see `docs/api-behavior.md`. */
const mostRecordings = 100
const mostBytes = 512 * 2 ** 20
const mostBytesTogether = 2 * 2 ** 30
const mostAttempts = 20

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
        : size > mostBytes
          ? `it has ${size} bytes, more than the limit of ${mostBytes}`
          : bytes + size > mostBytesTogether
            ? `the recordings of the run have more than ${mostBytesTogether} bytes together`
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
  if (attempts.length > mostAttempts) {
    log.note(`Of ${JSON.stringify(name)}, the last ${mostAttempts} of ${attempts.length} attempts are sent.`)
  }
  const lastAttempts = attempts.slice(-mostAttempts).map((attempt): RunAttempt => ({
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
    recordings: [...events, ...recordingsOf(recorded, zero, mask, mostRecordings - events.length, log)]
  }
}
