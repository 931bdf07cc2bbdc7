/** What a frame that runs an app and the page around it say to each other. */

export const levels = ["debug", "log", "info", "warn", "error"] as const
export type Level = (typeof levels)[number]

/** A line of the app's console. */
export interface Line {
  readonly level: Level
  readonly text: string
}

/** What an app asked for, and what kind of thing that is. */
export interface Missing {
  readonly what: string
  readonly name: string
}

/** What an app tells, at the port that came with the last question. */
export type Told =
  /** `isThrown` where it is what the app failed with, and nothing caught it. */
  | ({ readonly kind: "line"; readonly isThrown: boolean } & Line)
  /** What was found out about the bundle, in a sentence. */
  | { readonly kind: "found"; readonly text: string }
  /** Something that a phone has and the replay hasn't, which the app asked for. */
  | ({ readonly kind: "missing" } & Missing)
  /** Why the bundle wasn't even tried. */
  | { readonly kind: "obstacle"; readonly text: string }
  /** The answer to a question; `dropped` lines were more than were told since the last one. */
  | { readonly kind: "pulse"; readonly hasStarted: boolean; readonly isDrawn: boolean; readonly dropped: number }

/** How much is told at most: characters of a line, lines in a second, and lines kept until the page asks first. */
export const most = { characters: 4000, linesPerSecond: 100, kept: 200 }

const mark = "slipway-replay"

/** What a page asks an app, with a port for whatever it tells from then on: is it alive? */
export const question: unknown = { [mark]: "pulse" }

/** Whether that is what a page asks. */
export const isQuestion = (data: unknown): boolean =>
  typeof data === "object" && data !== null && mark in data && data[mark] === "pulse"

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" ? value.slice(0, most.characters) : undefined

const countIn = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.min(value, 1e9) : 0)

/** What is told by what came from an app; `undefined` when it is nothing of that. It may be anything. */
export const toldIn = (value: unknown): Told | undefined => {
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
      return text === undefined ? undefined : { kind: "found", text }
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
      return undefined
  }
}

/** What the worker that listens to an app passes on to the page. */
export type Heard =
  | { readonly kind: "told"; readonly told: Told }
  /** Messages that were let go unread. */
  | { readonly kind: "skipped"; readonly count: number }
  /** There was more than can be taken. */
  | { readonly kind: "flood" }
