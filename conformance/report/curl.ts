import type { Config } from "../config/Config.ts"
import { variables } from "../config/load/variables.ts"
import type { Credential, Exchange, Sent } from "../session/Exchange.ts"
import { shellWord } from "./shell.ts"
import { visible } from "./visible.ts"

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
const remark = ({ content, tamper }: Exchange["request"]): string => {
  const remarks = [
    ...(content === undefined ? [] : [`content.bin: ${content.sizeBytes} bytes, SHA-256 ${content.sha256}`]),
    ...(tamper === undefined ? [] : [`the ${tamper} in the URL was altered before it was sent`])
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
