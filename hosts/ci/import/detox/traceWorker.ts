/** What one process did: a worker of Jest, which runs one test at a time. */
import { itemsOf, numberOf, textOf, type Fields } from "../json.ts"
import type { Mask } from "../mask.ts"
import { plainLine, plainLines } from "../../command/plainText.ts"
import { interrupted, type Step } from "../recordedRun.ts"
import { isEnd, notRunAs } from "./statuses.ts"
import type { TraceEvent } from "./traceEvents.ts"
import { stepsOfParts, type OpenStep, type Part } from "./traceSteps.ts"
import { hideTyped, withoutTyped } from "./typed.ts"

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
export type OnEnd = (end: TraceEvent) => void

export class Worker {
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
