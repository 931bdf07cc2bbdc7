/** The messages between a frame that runs an app and the page around it. */
import { decodeOrder, type Order } from "../../phone/settings/messages.ts"
import { decodeFlowMessage, type FlowMessage } from "./flows/flowMessages.ts"
import { decodeInspected, type Inspected } from "./inspector/inspectorMessages.ts"

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
export const most = { characters: 4000, linesPerSecond: 100, kept: 200 }

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
  typeof value === "string" ? value.slice(0, most.characters) : undefined

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
