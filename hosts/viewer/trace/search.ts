import type { TraceEvent } from "./event.ts"

const fieldsText = (fields: TraceEvent["fields"]): string => {
  try {
    return Object.entries(fields)
      .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" ")
  } catch {
    // A value nested too deep to be written as JSON is not found by its text.
    return ""
  }
}

/** All that an event says, in lower case. */
export const searchedText = ({ fields, name, status, type }: TraceEvent): string =>
  `${type} ${name} ${status ?? ""} ${fieldsText(fields)}`.toLowerCase()

/** The words of what was typed. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")

/** Whether every word occurs in a text of lower case. */
export const hasWords = (text: string, words: ReadonlyArray<string>): boolean =>
  words.every((word) => text.includes(word))
