/** Repairs texts of other tools: without control characters, and cut to a length with a visible mark. */
import stripAnsi from "strip-ansi"

const control = /\p{Cc}/gu
const controlOtherThanLines = /[^\P{Cc}\t\r\n]/gu

const cutMark = "… (cut)"

/** At most so many characters; a cut is marked. */
const atMost = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - cutMark.length)}${cutMark}`.toWellFormed()

/** One line: without colours of a terminal and control characters. */
export const plainLine = (text: string, most = 1024): string =>
  atMost(
    stripAnsi(text)
      .toWellFormed()
      .replace(/\s*[\r\n]+\s*/g, " ")
      .replaceAll(control, " ")
      .trim(),
    most
  )

/** Lines: without colours of a terminal, and no control characters but tabs and line breaks. */
export const plainLines = (text: string, most = 16 * 1024): string =>
  atMost(stripAnsi(text).toWellFormed().replaceAll(controlOtherThanLines, " ").trim(), most)
