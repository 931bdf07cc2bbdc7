import { styleText } from "node:util"
import type { Verdict } from "./Report.ts"

/** How a text looks on a terminal. */
export type Look = "good" | "bad" | "warning" | "faint" | "strong"

/** Adds a look to a text, or leaves it plain. */
export type Paint = (look: Look, text: string) => string

/** Leaves every text plain, for files, pipes and users who set `NO_COLOR`. */
export const plain: Paint = (_, text) => text

const formats = { good: "green", bad: "red", warning: "yellow", faint: "dim", strong: "bold" } as const

/** With the escape sequences of a terminal. */
export const coloured: Paint = (look, text) => styleText(formats[look], text, { validateStream: false })

/** The parts of a stream that this module needs. */
export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
}

/** Colours on a terminal that has them. None when the environment has `NO_COLOR`. */
export const paintFor = (
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>> = process.env
): Paint => {
  const isRefused = (environment["NO_COLOR"] ?? "") !== ""
  return !isRefused && screen.isTTY === true && screen.hasColors?.() !== false ? coloured : plain
}

/** The look of each verdict. */
export const verdictLooks: Readonly<Record<Verdict, Look>> = { conformant: "good", partial: "warning", failed: "bad" }
