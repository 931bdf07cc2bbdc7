/** Reads JSON that another program wrote: of a file that was cut, what is whole; and fields of unknown values. */
import { JSONParser } from "@streamparser/json"
import { readText, unreadable } from "./text.ts"
import type { ImportLog } from "./ImportLog.ts"

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

/** The items of an array; none of anything else. */
export const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A text that isn't empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** A finite number, or a text that says one. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

/** The texts of an array. */
export const textsOf = (value: unknown): ReadonlyArray<string> => itemsOf(value).flatMap((item) => textOf(item) ?? [])

const lineOfFault = (text: string, reason: string): number => {
  const position = /position (\d+)/.exec(reason)?.[1]
  return text.slice(0, position === undefined ? undefined : Number(position)).split("\n").length
}

/** The values at a path such as `$.*` that stand whole before the fault. */
const wholeValues = (text: string, path: string): ReadonlyArray<unknown> => {
  const whole: Array<unknown> = []
  const parser = new JSONParser({ paths: [path], keepStack: false })
  parser.onValue = ({ value }) => void whole.push(value)
  // The caller has reported the fault already.
  parser.onError = () => {}
  try {
    parser.write(text)
  } catch {
    return whole
  }
  return whole
}

/** Whether a text is the beginning of JSON, which was cut. */
export const isCutJson = (text: string): boolean => {
  let isBroken = false
  const parser = new JSONParser({ paths: [], keepStack: false })
  parser.onError = () => void (isBroken = true)
  try {
    parser.write(text)
  } catch {
    return false
  }
  return !isBroken && !parser.isEnded
}

/** What a file holds: its value, or, where it is broken, the values at the path that stand whole before the fault. */
export type Read = { readonly value: unknown } | { readonly whole: ReadonlyArray<unknown> }

/** Parses the text of a file. A fault is reported, with its line. */
export const parseJson = (file: string, text: string, path: string, log: ImportLog): Read => {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const whole = wholeValues(text, path)
    log.problem({
      file,
      line: lineOfFault(text, reason),
      reason: `It is broken here (${reason.replace(/ ?\(?(?:at|in JSON at) position.*/, "")}); ${whole.length} whole entries before it were read.`
    })
    return { whole }
  }
}

/** Reads a file of JSON. One that can't be read is as one that was cut at its beginning. */
export const readJson = (file: string, path: string, log: ImportLog): Read => {
  let text: string
  try {
    text = readText(file)
  } catch (error) {
    log.problem({ file, reason: unreadable(error) })
    return { whole: [] }
  }
  return parseJson(file, text, path, log)
}
