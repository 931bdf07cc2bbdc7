/** What all importers make: tests as they ran, with all that was recorded of them. Instants are milliseconds since 1970. */
import { headOf } from "../command/walk.ts"
import { groupedBy } from "../../../core/rules/attempts.ts"
import type { RecordingKind, TestRunKind } from "../../client/index.ts"

/** A step of a test: something that it did or expected. */
export interface Step {
  readonly name: string
  /** `passed`, `failed`, `warned`, `skipped`, `running`, or what the tool says. */
  readonly status: string
  readonly startedAt: number
  readonly durationMs: number | undefined
  /** How many other steps it is part of. */
  readonly depth: number
  readonly message: string | undefined
  /** The command of a Maestro flow that it was, as the YAML of the flow has it: by this it can be played again. */
  readonly flowCommand?: string | Readonly<Record<string, unknown>> | undefined
}

/** A file that was recorded during a test. Nothing of it is read before it is sent. */
export interface RecordedFile {
  /** Where it is on this machine, or what has it: its `text`, where it is a part of a report. */
  readonly path: string
  readonly text?: string
  readonly name: string
  readonly kind: RecordingKind
  readonly contentType: string
  readonly startedAt: number | undefined
  readonly durationMs?: number | undefined
  /** Whether it shows a failure: those are sent first. */
  readonly ofFailure: boolean
}

/** One try of a test. */
export interface RecordedAttempt {
  /** `passed`, `failed`, or what the tool says. */
  readonly status: string
  readonly startedAt: number | undefined
  readonly durationMs: number | undefined
  readonly failureMessage: string | undefined
  /** In the order in which they began. */
  readonly steps: ReadonlyArray<Step>
  /** The index of the step that made it fail. */
  readonly failingStep: number | undefined
  readonly recordings: ReadonlyArray<RecordedFile>
}

/** The device that a test ran on, as far as it is known. */
export interface RecordedDevice {
  readonly name?: string
  readonly platform?: string
  readonly osVersion?: string
}

const interruptedMark = "Interrupted"

/** The message of a test with an unknown outcome. It counts as failed. */
export const interrupted = (reason: string, known?: string): string =>
  `${interruptedMark}: ${reason}${known === undefined ? "" : `\n${known}`}`

/** Whether an attempt failed only because its outcome is unknown. */
export const isInterrupted = ({ failureMessage }: RecordedAttempt): boolean =>
  failureMessage?.startsWith(interruptedMark) === true

/** An attempt of which nothing is known but that it failed, and why. */
export const failedAttempt = (failureMessage: string): RecordedAttempt => ({
  status: "failed",
  startedAt: undefined,
  durationMs: undefined,
  failureMessage,
  steps: [],
  failingStep: undefined,
  recordings: []
})

/** A test as it ran: once, or more often where it was tried again. The last attempt decides how it went. */
export interface RecordedRun {
  readonly kind: TestRunKind
  readonly name: string
  readonly attempts: readonly [RecordedAttempt, ...ReadonlyArray<RecordedAttempt>]
  readonly device: RecordedDevice | undefined
  /** The file that the test is written in. */
  readonly file: string | undefined
  readonly tags: ReadonlyArray<string>
  /** Its source: a file or folder on this machine. Runs of two folders are two, even if they are equal. */
  readonly from: string
}

/** A run of which nothing is known but why its outcome isn't: a report that was cut, tests that left recordings alone. */
export const interruptedRun = (kind: TestRunKind, name: string, reason: string, from: string): RecordedRun => ({
  kind,
  name,
  attempts: [failedAttempt(interrupted(reason))],
  device: undefined,
  file: undefined,
  tags: [],
  from
})

/** The attempt that decides how a run went. */
export const lastAttempt = ({ attempts }: RecordedRun): RecordedAttempt => attempts.at(-1) ?? attempts[0]

/** Whether a run passed, but not at its first attempt. */
export const isFlaky = (run: RecordedRun): boolean =>
  lastAttempt(run).status === "passed" && run.attempts.some(({ status }) => status !== "passed")

// The messages of an import beside its runs.

/** Something of the input that wasn't imported. */
export interface ImportProblem {
  readonly file: string
  /** From 1. */
  readonly line?: number
  readonly reason: string
}

/** A test that didn't run. It neither passed nor failed, so it is reported and not registered. */
export interface SkippedTest {
  readonly name: string
  /** `skipped`, `todo`, `disabled`. */
  readonly status: string
}

/**
 * Collects the messages of an import. With `--strict`, a problem makes the command fail; a note and a skipped test
 * never do.
 */
export interface ImportLog {
  readonly problem: (problem: ImportProblem) => void
  readonly note: (note: string) => void
  /** Tests of one name are one, unless they have different ids. */
  readonly skipped: (test: SkippedTest, id?: string) => void
}

/** Collects each message once. */
export const makeImportLog = (): ImportLog & {
  readonly problems: ReadonlyArray<ImportProblem>
  readonly notes: ReadonlyArray<string>
  readonly skippedTests: ReadonlyArray<SkippedTest>
} => {
  const problems = new Map<string, ImportProblem>()
  const notes = new Set<string>()
  const skipped = new Map<string, SkippedTest>()
  return {
    problem: (problem) => void problems.set(JSON.stringify(problem), problem),
    note: (note) => void notes.add(note),
    skipped: (test, id = test.name) => void skipped.set(id, test),
    get problems() {
      return [...problems.values()]
    },
    get notes() {
      return [...notes]
    },
    get skippedTests() {
      return [...skipped.values()]
    }
  }
}

/** A line for each way in which tests didn't run. */
export const skippedLines = (tests: ReadonlyArray<SkippedTest>): ReadonlyArray<string> =>
  Array.from(
    groupedBy(tests, ({ status }) => status),
    ([status, of]) => {
      const names = of.slice(0, 3).map(({ name }) => JSON.stringify(name))
      const more = of.length > 3 ? `, and ${of.length - 3} more` : ""
      return `Not registered, as they didn't run (${status}): ${names.join(", ")}${more}.`
    }
  )

/** A time of the day at the beginning of a line, with or without a day before it. */
const timeOfDay = /^\W*(?:\d{4}-)?(?:\d\d-\d\d[ T])?(\d\d):(\d\d):(\d\d)[.,](\d{3})/m

const quarterHour = 15 * 60_000

/** How far a span is from whole quarters of an hour: from minus to plus seven and a half minutes. */
export const sinceQuarterHour = (span: number): number => {
  const after = ((span % quarterHour) + quarterHour) % quarterHour
  return after > quarterHour / 2 ? after - quarterHour : after
}

/**
 * When a log began, by the time of the day of its first line. Its time zone is unknown, but offsets are quarters of an
 * hour: so it is the instant nearest to the test's beginning that shows the same minutes.
 */
export const logStart = (file: string, near: number | undefined): number | undefined => {
  if (near === undefined) return undefined
  const text = Buffer.from(headOf(file, 16_384)).toString("utf8")
  const [, hours, minutes, seconds, milliseconds] = timeOfDay.exec(text) ?? []
  if (hours === undefined) return undefined
  const ofDay = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds)
  return near + sinceQuarterHour(ofDay - near)
}
