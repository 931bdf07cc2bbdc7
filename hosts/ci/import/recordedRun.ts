/** What all importers make: tests as they ran, with all that was recorded of them. Instants are milliseconds since 1970. */
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

/** The attempt that decides how a run went. */
export const lastAttempt = ({ attempts }: RecordedRun): RecordedAttempt => attempts.at(-1) ?? attempts[0]

/** Whether a run passed, but not at its first attempt. */
export const isFlaky = (run: RecordedRun): boolean =>
  lastAttempt(run).status === "passed" && run.attempts.some(({ status }) => status !== "passed")
