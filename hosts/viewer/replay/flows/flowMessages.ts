/** The messages about flows between a page and the app's frame. */
import {
  mostRecorded,
  type FlowCommand,
  type Listening,
  type Recorded,
  type Timeouts
} from "../../../phone/flows/flow.ts"
import { mirroredOnly } from "../../../phone/flows/mirror.ts"
import type { StepResult } from "../../../phone/flows/runFlow.ts"

/** What the page asks of the frame. */
export type FlowRequest =
  /** Performs a command. With the id of one that was performed already, it answers again. */
  | {
      readonly kind: "perform"
      readonly id: number
      readonly command: FlowCommand
      readonly timeouts: Timeouts
      /** Whether it repeats what somebody did in another frame. */
      readonly isMirrored?: boolean
    }
  | ({ readonly kind: "listen" } & Listening)

/** What the frame answers. It may be the app that answers: the page shows it as text, and trusts none of it. */
export type FlowMessage =
  | { readonly kind: "performed"; readonly id: number; readonly result: StepResult }
  | ({ readonly kind: "recorded" } & Recorded)

/** Limits of what a frame answers: the characters of a text, and the fields of a selector. */
const most = { characters: 5000, fields: 6 }

const own = (value: object, name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= most.characters ? value : undefined

const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= 1e6 ? value : undefined

/** What a command is about: nothing, a text, a number, or a few of both by name. */
const decodeValue = (value: unknown): { readonly value: FlowCommand["value"] } | undefined => {
  if (value === undefined) return { value }
  const scalar = textIn(value) ?? numberIn(value)
  if (scalar !== undefined) return { value: scalar }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > most.fields) return undefined
  const fields: Array<readonly [string, string | number]> = []
  for (const [name, one] of entries) {
    const of = textIn(one) ?? numberIn(one)
    if (of === undefined || !/^[a-zA-Z]{1,20}$/.test(name)) return undefined
    fields.push([name, of])
  }
  return { value: Object.fromEntries(fields) }
}

/** The commands that are recorded. */
const recordable = new Set([
  "tapOn",
  "longPressOn",
  "assertVisible",
  "inputText",
  "eraseText",
  "pressKey",
  "scroll",
  "swipe",
  ...mirroredOnly
])

const decodeCommand = (value: unknown): ReadonlyArray<FlowCommand> => {
  if (typeof value !== "object" || value === null) return []
  const [name, decoded] = [textIn(own(value, "name")), decodeValue(own(value, "value"))]
  return name === undefined || decoded === undefined || !recordable.has(name) ? [] : [{ name, value: decoded.value }]
}

const statuses = ["passed", "failed", "warned", "skipped"] as const

/** Validates an answer of a frame, which may be anything; `undefined` if it isn't a known one. */
export const decodeFlowMessage = (value: object): FlowMessage | undefined => {
  switch (own(value, "kind")) {
    case "performed": {
      const [id, result] = [numberIn(own(value, "id")), own(value, "result")]
      if (id === undefined || typeof result !== "object" || result === null) return undefined
      const status = statuses.find((one) => one === own(result, "status"))
      const reason = textIn(own(result, "reason"))?.slice(0, 500)
      return status === undefined ? undefined : { kind: "performed", id, result: { status, reason } }
    }
    case "recorded": {
      const [version, before, commands] = [
        numberIn(own(value, "version")),
        numberIn(own(value, "before")),
        own(value, "commands")
      ]
      if (version === undefined || before === undefined || before < 0 || !Array.isArray(commands)) return undefined
      return {
        kind: "recorded",
        isRecording: own(value, "isRecording") === true,
        isPicking: own(value, "isPicking") === true,
        version,
        before,
        commands: commands.slice(0, mostRecorded.commands).flatMap(decodeCommand)
      }
    }
    default:
      return undefined
  }
}
