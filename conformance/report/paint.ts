import { styleText } from "node:util"
import type { Verdict } from "./Report.ts"
import type { Standing } from "./standing.ts"

/** What a text is to look like. */
export type Look = "good" | "bad" | "warning" | "faint" | "strong"

/** Puts a look on a text, or leaves it as it is. */
export type Paint = (look: Look, text: string) => string

/** No looks: for files, pipes and who asks for none. */
export const plain: Paint = (_, text) => text

const formats = { good: "green", bad: "red", warning: "yellow", faint: "dim", strong: "bold" } as const

/** With the escape sequences of a terminal. */
export const coloured: Paint = (look, text) => styleText(formats[look], text, { validateStream: false })

/** What can be written to: as much of a terminal's stream as is asked. */
export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
}

/** Colours on a terminal that has them, and none where the environment says `NO_COLOR`, whatever else is true. */
export const paintFor = (
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>> = process.env
): Paint => {
  const isRefused = (environment["NO_COLOR"] ?? "") !== ""
  return !isRefused && screen.isTTY === true && screen.hasColors?.() !== false ? coloured : plain
}

/** The look of each standing of a check. */
export const looks: Readonly<Record<Standing, Look>> = {
  failed: "bad",
  "no-answer": "bad",
  "suite-fault": "bad",
  "expected-failure": "warning",
  warning: "warning",
  skipped: "faint",
  passed: "good"
}

/** The look of each verdict. */
export const verdictLooks: Readonly<Record<Verdict, Look>> = { conformant: "good", partial: "warning", failed: "bad" }
