import type { Config } from "../config/Config.ts"
import { variables } from "../config/load/variables.ts"
import { mannerText, type Credential, type Exchange, type Sent, type WrongKey } from "../session/Exchange.ts"
import { excerpt, oneLine, shellWord, visible } from "./text.ts"

/** The environment variable that gives a key to a config. */
const variableOf = ({ account, key }: Exclude<Credential, string>): string =>
  variables.find(({ path }) => path.join(".") === `accounts.${account}.keys.${key}`)?.name ?? ""

/** The ways in which a binding may spell a key, in a shell. */
const spelled = (place: string, variable: string): string => {
  if (place === "{key}") return `"$${variable}"`
  const said = place === "{basic}" ? `"$${variable}:"` : `"$${variable}"`
  return `"$(printf %s ${said} | base64 | tr -d '\\n')"`
}

/** The header that carries the key, without the key. */
const keyHeader = ({ header, value }: Config["bindings"]["key"], as: Credential): ReadonlyArray<string> => {
  if (as === "none") return []
  const parts = `${header}: ${value}`.split(/(\{(?:key|key:base64|basic)\})/)
  const said = parts.map((part, index) => {
    if (index % 2 === 0) return part === "" ? "" : `'${part.replaceAll("'", String.raw`'\''`)}'`
    return typeof as === "string" ? "a-key-that-nobody-was-given" : spelled(part, variableOf(as))
  })
  return ["-H", said.join("")]
}

/** What the command line can't show. */
const remark = ({ content, manner, tamper }: Exchange["request"]): string => {
  const remarks = [
    ...(content === undefined ? [] : [`content.bin: ${content.sizeBytes} bytes, SHA-256 ${content.sha256}`]),
    ...(tamper === undefined ? [] : [`the ${tamper} in the URL was altered before it was sent`]),
    ...(manner === undefined ? [] : [`sent ${mannerText(manner)}`])
  ]
  return remarks.length === 0 ? "" : `  # ${remarks.join("; ")}`
}

/**
 * A request as a command line of curl: what was sent, redacted as it is in the report. A key is the variable that a
 * config would read it from, so the line works once its redacted parts are filled in.
 */
export const curl = ({ request }: { readonly request: Sent }, key: Config["bindings"]["key"]): string => {
  const { as, content, headers, json, method, url } = request
  const hasType = Object.keys(headers).includes("content-type")
  const words = [
    "curl -i",
    ...(/[[\]{}]/.test(url) ? ["-g"] : []),
    ...(method === "GET" ? [] : ["-X", shellWord(method)]),
    shellWord(url),
    ...keyHeader(key, as),
    ...(json === undefined || hasType ? [] : ["-H", shellWord("content-type: application/json")]),
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", shellWord(`${name}: ${value}`)]),
    ...(json === undefined ? [] : ["--data-raw", shellWord(JSON.stringify(json))]),
    ...(content === undefined ? [] : ["--data-binary @content.bin"])
  ]
  return visible(words.join(" ") + remark(request))
}

const keyTexts: Readonly<Record<WrongKey | "none", string>> = {
  none: "without a key",
  unknown: "with a key that nobody was given",
  altered: "with account a's key all, its end changed",
  beginning: "with account a's key all, its beginning changed",
  middle: "with account a's key all, its middle changed",
  single: "with account a's key all, one character changed",
  last: "with account a's key all, its last character changed",
  case: "with account a's key all, its letters in the other case",
  empty: "with an empty key",
  longer: "with account a's key all and more letters",
  shorter: "with account a's key all without its last four letters"
}

/** Whose key a request carried. */
export const credentialText = (as: Credential): string => {
  if (typeof as === "string") {
    const [wrong, of = "a.all"] = as.split(" ")
    const [, text = "with another key"] = Object.entries(keyTexts).find(([name]) => name === wrong) ?? []
    return text.replace("account a's key all", `account ${of.replace(".", "'s key ")}`)
  }
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
export const requestLines = ({ as, manner, method, tamper, url }: Sent): ReadonlyArray<string> => [
  `> ${oneLine(`${method} ${url}`)} ${credentialText(as)}${manner === undefined ? "" : `, ${mannerText(manner)}`}`,
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
