import { type FlowCommand, type Recorded, stepName } from "../../phone/flows/flow.ts"
import { mirroredName } from "../../phone/flows/mirror.ts"
import type { StepResult } from "../../phone/flows/runFlow.ts"
import type { FlowRequest } from "./flows/flowMessages.ts"
import type { AppMessage } from "./message.ts"

/** How long the other app has to show what was pressed, in milliseconds. */
const timeouts = { lookup: 2000, optional: 2000 }

/** The most steps that wait for the other app. */
const mostWaiting = 100

/** Repeats what is done in one app in another. `began` receives the name of each step, and answers who receives its result. */
export const mirrorApp = (
  from: (request: FlowRequest) => void,
  to: (request: FlowRequest) => void,
  began: (name: string) => (result: StepResult) => void
) => {
  let isOn = false
  /** How many steps of the app are known, and the version of their report. */
  let known = 0
  let version = -1
  let waiting: ReadonlyArray<FlowCommand> = []
  let lastId = 0
  let now: { readonly request: FlowRequest; readonly end: (result: StepResult) => void } | undefined

  const listen = (): void => from({ kind: "listen", isRecording: isOn, isPicking: false, isMirrored: true })

  const next = (): void => {
    const [command, ...more] = waiting
    if (now !== undefined || command === undefined) return
    waiting = more
    const end = began(mirroredName(command) ?? stepName(command))
    now = { request: { kind: "perform", id: ++lastId, command, timeouts, isMirrored: true }, end }
    to(now.request)
  }

  const ended = (result: StepResult): void => {
    const was = now
    now = undefined
    was?.end(result)
    next()
  }

  /** Adds a step. Of several of the same field or list, only the last one counts. */
  const add = (command: FlowCommand): void => {
    const last = waiting.at(-1)
    const isNewer = last?.name === command.name && mirroredName(command) !== undefined
    waiting = [...(isNewer ? waiting.slice(0, -1) : waiting), command].slice(-mostWaiting)
  }

  const onRecorded = (report: Recorded): void => {
    if (report.version <= version) return
    version = report.version
    const total = report.before + report.commands.length
    if (isOn) for (const command of report.commands.slice(Math.max(0, known - report.before))) add(command)
    known = total
    next()
  }

  return {
    turn: (on: boolean): void => {
      isOn = on
      waiting = []
      listen()
    },
    /** A message of the app in which somebody does something. */
    onMessage: (message: AppMessage): void => {
      if (message.kind === "recorded") onRecorded(message)
      // Reports may have been lost, as the answers of the other app may.
      if (message.kind === "pulse" && isOn) listen()
    },
    /** A message of the app that repeats it. */
    onAnswer: (message: AppMessage): void => {
      if (message.kind === "performed" && message.id === lastId) ended(message.result)
      if (message.kind === "pulse" && now !== undefined) to(now.request)
    },
    /** The first app was loaded, from the beginning. */
    onLoad: (): void => {
      version = -1
      known = 0
      if (isOn) listen()
    },
    /** The other app does nothing more, or was loaded from the beginning. */
    giveUp: (reason: string): void => {
      waiting = []
      if (now !== undefined) ended({ status: "failed", reason })
    }
  }
}
