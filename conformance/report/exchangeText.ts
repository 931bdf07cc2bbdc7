import type { Credential, Exchange, Sent } from "../session/Exchange.ts"
import { excerpt, oneLine, visible } from "./visible.ts"

/** Whose key a request carried. */
export const credentialText = (as: Credential): string => {
  if (as === "none") return "without a key"
  if (as === "altered") return "with account a's key all, its end changed"
  if (as === "unknown") return "with a key that nobody was given"
  return `as account ${as.account}, key ${as.key}`
}

/** A body that is nested deeper than this is not indented, because its lines would be mostly indentation. */
const levels = 12

const isShallow = (json: unknown, left = levels): boolean =>
  typeof json !== "object" ||
  json === null ||
  (left > 0 && Object.values(json).every((one) => isShallow(one, left - 1)))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const written = (json: unknown): string | undefined =>
  isShallow(json) ? JSON.stringify(json, undefined, 2) : undefined

/** A body for people: JSON with a line for each value, and only the beginning of a long body. */
export const bodyText = (text: string, most: number): string =>
  visible(excerpt((text.length > 4 * most ? undefined : written(parsed(text))) ?? text, most))

/** What a request carries besides its headers, as text. Empty when it carries nothing. */
export const requestBody = ({ content, json }: Exchange["request"], most: number): string => {
  if (content !== undefined) return `${content.sizeBytes} bytes, SHA-256 ${content.sha256}`
  return json === undefined ? "" : visible(excerpt(written(json) ?? JSON.stringify(json), most))
}

/** A request as lines of text. */
export const requestLines = ({ as, method, tamper, url }: Sent): ReadonlyArray<string> => [
  `> ${oneLine(`${method} ${url}`)} ${credentialText(as)}`,
  ...(tamper === undefined ? [] : [`> (the ${tamper} in the URL was altered before it was sent)`])
]

/** A request and its answer as lines of text, with at most `most` characters of the answer's body. */
export const exchangeLines = ({ answer, at, request, retries }: Exchange, most: number): ReadonlyArray<string> => [
  ...requestLines(request),
  `< ${answer.status} after ${at} ms${retries === undefined ? "" : `, asked ${retries + 1} times`}`,
  ...Object.entries(answer.headers).map(([name, value]) => `< ${oneLine(`${name}: ${value}`)}`),
  ...(answer.text === ""
    ? []
    : bodyText(answer.text, most)
        .split("\n")
        .map((line) => `< ${line}`))
]
