/** The messages between a frame that runs an app and the page around it. */
import type { PageFont } from "../../phone/settings/fonts.ts"
import {
  type FlowCommand,
  type Recorded,
  recordingLimits,
  type RecordingMode,
  type Timeouts
} from "../../phone/flows/flow.ts"
import { maxEvaluated } from "../../phone/flows/evaluate.ts"
import { mirroredOnly } from "../../phone/flows/mirror.ts"
import type { StepResult } from "../../phone/flows/runFlow.ts"
import { decodeOrder, type Order } from "../../phone/settings/messages.ts"

export const levels = ["debug", "log", "info", "warn", "error"] as const
export type Level = (typeof levels)[number]

/** A line of the app's console. */
export interface Line {
  readonly level: Level
  readonly text: string
}

/** Something that an app asked for, and its kind. */
export interface Missing {
  readonly what: string
  readonly name: string
}

/** A message from an app, on the port that came with the last question. */
export type AppMessage =
  /** `isThrown` marks an uncaught error. */
  | ({ readonly kind: "line"; readonly isThrown: boolean } & Line)
  /** A finding about the bundle, as a sentence. */
  | { readonly kind: "found"; readonly text: string }
  /** A phone's feature that the app asked for and the replay lacks. */
  | ({ readonly kind: "missing" } & Missing)
  /** What it does from now on, as a sentence, in case that never ends; empty once it has ended. */
  | { readonly kind: "doing"; readonly text: string }
  /** Why the bundle was not run. */
  | { readonly kind: "obstacle"; readonly text: string }
  /** The error by which a release build on a phone would have ended. */
  | { readonly kind: "crashed"; readonly text: string }
  /** The answer to a question. `dropped` lines were over the limit since the last answer. */
  | { readonly kind: "pulse"; readonly hasStarted: boolean; readonly isDrawn: boolean; readonly dropped: number }
  | FlowMessage
  | Inspected

/** Limits: characters of a line, lines in a second, and lines stored before the page first asks. */
export const messageLimits = { characters: 4000, linesPerSecond: 100, kept: 200 }

const mark = "slipway-replay"

/** The page's question whether the app is alive, with a port for everything that the app sends from then on. */
export const question: unknown = { [mark]: "pulse" }

/** Whether a message is the page's question. */
export const isQuestion = (data: unknown): boolean =>
  typeof data === "object" && data !== null && mark in data && data[mark] === "pulse"

/** The page's message with an order for the phone in the frame. */
export const orderMessage = (order: Order): unknown => ({ [mark]: "order", order })

/** The order in a message of the page; `undefined` if there is none. */
export const orderIn = (data: unknown): Order | undefined =>
  typeof data === "object" && data !== null && mark in data && data[mark] === "order" && "order" in data
    ? decodeOrder(data.order)
    : undefined

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" ? value.slice(0, messageLimits.characters) : undefined

const countIn = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.min(value, 1e9) : 0)

/** Validates a message from an app, which may be anything; `undefined` if it isn't a known message. */
export const decodeAppMessage = (value: unknown): AppMessage | undefined => {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value
  const text = textIn(field("text"))
  const level = levels.find((one) => one === field("level"))
  switch (value.kind) {
    case "line":
      return text === undefined || level === undefined
        ? undefined
        : { kind: "line", level, text, isThrown: field("isThrown") === true }
    case "obstacle":
      return text === undefined ? undefined : { kind: "obstacle", text }
    case "found":
    case "crashed":
    case "doing":
      return text === undefined ? undefined : { kind: value.kind, text }
    case "missing": {
      const [what, name] = [textIn(field("what")), textIn(field("name"))]
      return what === undefined || name === undefined ? undefined : { kind: "missing", what, name }
    }
    case "pulse":
      return {
        kind: "pulse",
        hasStarted: field("hasStarted") === true,
        isDrawn: field("isDrawn") === true,
        dropped: countIn(field("dropped"))
      }
    default:
      return decodeFlowMessage(value) ?? decodeInspected(value)
  }
}

/** A message from the listening worker to the page. */
export type ListenerMessage =
  | { readonly kind: "message"; readonly message: AppMessage }
  /** Messages that were dropped unread. */
  | { readonly kind: "skipped"; readonly count: number }
  /** The app sent more than can be handled. */
  | { readonly kind: "flood" }

// The messages about flows between a page and the app's frame.

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
  | ({ readonly kind: "listen" } & RecordingMode)

/** What the frame answers. It may be the app that answers: the page shows it as text, and trusts none of it. */
export type FlowMessage =
  | { readonly kind: "performed"; readonly id: number; readonly result: StepResult }
  | ({ readonly kind: "recorded" } & Recorded)

/** Limits of what a frame answers: the characters of a text, and the fields of a selector. */
const flowLimits = { characters: 5000, fields: 6 }

const flowField = (value: object, name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value

const flowTextIn = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= flowLimits.characters ? value : undefined

const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= 1e6 ? value : undefined

/** What a command is about: nothing, a text, a number, or a few of both by name. */
const decodeValue = (value: unknown): { readonly value: FlowCommand["value"] } | undefined => {
  if (value === undefined) return { value }
  const scalar = flowTextIn(value) ?? numberIn(value)
  if (scalar !== undefined) return { value: scalar }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > flowLimits.fields) return undefined
  const fields: Array<readonly [string, string | number]> = []
  for (const [name, one] of entries) {
    const of = flowTextIn(one) ?? numberIn(one)
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
  const [name, decoded] = [flowTextIn(flowField(value, "name")), decodeValue(flowField(value, "value"))]
  return name === undefined || decoded === undefined || !recordable.has(name) ? [] : [{ name, value: decoded.value }]
}

const statuses = ["passed", "failed", "warned", "skipped"] as const

/** Validates an answer of a frame, which may be anything; `undefined` if it isn't a known one. */
const decodeFlowMessage = (value: object): FlowMessage | undefined => {
  switch (flowField(value, "kind")) {
    case "performed": {
      const [id, result] = [numberIn(flowField(value, "id")), flowField(value, "result")]
      if (id === undefined || typeof result !== "object" || result === null) return undefined
      const status = statuses.find((one) => one === flowField(result, "status"))
      const reason = flowTextIn(flowField(result, "reason"))?.slice(0, 500)
      if (status === undefined) return undefined
      const read = flowField(result, "value")
      const isRead = typeof read === "string" && read.length <= maxEvaluated
      return { kind: "performed", id, result: isRead ? { status, reason, value: read } : { status, reason } }
    }
    case "recorded": {
      const [version, before, commands] = [
        numberIn(flowField(value, "version")),
        numberIn(flowField(value, "before")),
        flowField(value, "commands")
      ]
      if (version === undefined || before === undefined || before < 0 || !Array.isArray(commands)) return undefined
      return {
        kind: "recorded",
        isRecording: flowField(value, "isRecording") === true,
        isPicking: flowField(value, "isPicking") === true,
        version,
        before,
        commands: commands.slice(0, recordingLimits.commands).flatMap(decodeCommand)
      }
    }
    default:
      return undefined
  }
}

// The messages about what an app is made of, asks and stores, between a page and the app's frame.

/** Which tree: of React's components, or of what a screen reader finds. */
export type TreeKind = "components" | "accessibility"

const asks = ["children", "details", "picked", "exchanges", "exchange", "archive", "stores"] as const

/** What the page asks of the frame. `id` is that of a node; 0 is the root, and nothing where something is marked or picked. */
export type InspectorRequest =
  /** `turn` comes back with the answer: an answer for a tree that is no longer shown is ignored. */
  | { readonly ask: "children"; readonly id: number; readonly tree: TreeKind; readonly turn: number }
  | { readonly ask: "details"; readonly id: number }
  /** Marks a node in the app. */
  | { readonly ask: "mark"; readonly id: number }
  /** Whether the next press in the app picks a node, instead of reaching the app. */
  | { readonly ask: "pick"; readonly isPicking: boolean; readonly tree: TreeKind }
  /** The requests of the app, as items; one of them, as sections; all of them, as the text of an HTTP archive. */
  | { readonly ask: "exchanges" }
  | { readonly ask: "exchange"; readonly id: number }
  | { readonly ask: "archive" }
  /** What the app stores, as sections. */
  | { readonly ask: "stores" }

/** A node of a tree. */
export interface Item {
  readonly id: number
  readonly name: string
  readonly detail: string
  readonly hasChildren: boolean
}

/** Named values under a title. */
export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>
}

/**
 * What the frame answers. It may be the app that answers: the page shows it as text, trusts none of it, and ignores what it
 * didn't ask for.
 */
export interface Inspected {
  readonly kind: "inspected"
  readonly of: (typeof asks)[number]
  readonly id: number
  readonly turn: number
  readonly items: ReadonlyArray<Item>
  /** How many more there are. */
  readonly left: number
  readonly sections: ReadonlyArray<Section>
  /** The nodes from the root to a picked one; empty where picking ended without one. */
  readonly path: ReadonlyArray<number>
  readonly text: string
}

/** Limits of an answer: of its lists, and the characters of a name, of a value, of all sections and of an archive. */
export const maxInspected = {
  items: 200,
  sections: 40,
  rows: 200,
  path: 1000,
  name: 200,
  value: 4000,
  sectionText: 1_000_000,
  text: 16_000_000
}

const inspectedField = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined

const cutTextIn = (value: unknown, most: number): string => (typeof value === "string" ? value.slice(0, most) : "")

const safeCountIn = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0

const listIn = <A>(value: unknown, most: number, decode: (one: unknown) => A): ReadonlyArray<A> =>
  Array.isArray(value) ? value.slice(0, most).map(decode) : []

const itemIn = (value: unknown): Item => ({
  id: safeCountIn(inspectedField(value, "id")),
  name: cutTextIn(inspectedField(value, "name"), maxInspected.name),
  detail: cutTextIn(inspectedField(value, "detail"), maxInspected.name),
  hasChildren: inspectedField(value, "hasChildren") === true
})

const sectionsIn = (value: unknown): ReadonlyArray<Section> => {
  let left = maxInspected.sectionText
  const text = (one: unknown, most: number): string => {
    const found = cutTextIn(one, Math.min(most, left))
    left -= found.length
    return found
  }
  return listIn(value, maxInspected.sections, (section) => ({
    title: text(inspectedField(section, "title"), maxInspected.name),
    rows: listIn(inspectedField(section, "rows"), maxInspected.rows, (row) => [
      text(inspectedField(row, "0"), maxInspected.name),
      text(inspectedField(row, "1"), maxInspected.value)
    ])
  }))
}

/** Validates an answer of a frame, which may be anything; `undefined` if it isn't one. */
export const decodeInspected = (value: unknown): Inspected | undefined => {
  const of = asks.find((one) => one === inspectedField(value, "of"))
  if (inspectedField(value, "kind") !== "inspected" || of === undefined) return undefined
  return {
    kind: "inspected",
    of,
    id: safeCountIn(inspectedField(value, "id")),
    turn: safeCountIn(inspectedField(value, "turn")),
    items: listIn(inspectedField(value, "items"), maxInspected.items, itemIn),
    left: safeCountIn(inspectedField(value, "left")),
    sections: sectionsIn(inspectedField(value, "sections")),
    path: listIn(inspectedField(value, "path"), maxInspected.path, safeCountIn),
    text: cutTextIn(inspectedField(value, "text"), maxInspected.text)
  }
}

// The requests of a page to the scripts that the bridge loads into the app's frame when one is first asked.

/** The scripts that are asked. */
const names = ["flows", "inspector"] as const
export type Asked = (typeof names)[number]

const requestMark = "slipway-request"

/** The event by which the bridge passes a request to a script in the frame. */
export const requestEvent = (to: Asked): string => `replay-${to}`

/** A request as the page posts it. */
export const posted = (to: Asked, request: object): unknown => ({ [requestMark]: to, request })

/** The request in a message of the page. */
export const requestIn = (data: unknown): { readonly to: Asked; readonly request: unknown } | undefined => {
  if (typeof data !== "object" || data === null || !(requestMark in data) || !("request" in data)) return undefined
  const to = names.find((name) => name === data[requestMark])
  return to === undefined ? undefined : { to, request: data.request }
}

/** The scripts of the viewer that run in the frame of an app, where it needs them. */
export type FrameScript =
  | "phone"
  | "memoryDatabase"
  | "sqlite"
  | "lottie"
  | "skia"
  | "recordedResponses"
  | "flows"
  | "inspector"

/** The URL of one of them relative to the app's document: outside of the uploaded files, so that none can replace it. */
export const frameScriptUrl = (name: FrameScript): string => `./?${name}`

/** The URL of a font, relative to the document in the frame. */
export const frameFontUrl = (name: PageFont): string => `./?font=${name}`
