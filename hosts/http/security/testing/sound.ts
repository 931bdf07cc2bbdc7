/** Conditions for every answer of a host, whatever the request. */
import { Schema } from "effect"
import { HttpProblem } from "../../HttpProblem.ts"
import { looseEnds } from "./html.ts"
import type { WireResponse, WireRequest } from "./wire.ts"

const decodeProblem = Schema.decodeUnknownOption(Schema.fromJsonString(HttpProblem))

/** Internal details that no answer may contain: SQL, source files, stack traces, the folders of the stores. */
const inside: ReadonlyArray<readonly [string, RegExp]> = [
  [
    "SQL",
    /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s[^<]{0,200}\b(?:FROM|VALUES|SET|WHERE)\b|\bSQLSTATE\b|PgClient|SqlError/
  ],
  ["a stack trace", /\n\s+at \S+ \(?(?:file:|node:|\/)|\bnode_modules\b/],
  ["a path of the host", /slipway-test-|\/tmp\/|\bENOENT\b|\bEACCES\b/],
  ["the signing secret", /test secret/]
]

/**
 * Whether Node's HTTP server itself refused the request: it couldn't parse it, or the expectation wasn't
 * `100-continue`.
 */
export const isServersOwn = ({ body, headers, status }: WireResponse): boolean =>
  [400, 417, 431].includes(status) && headers["x-request-id"] === undefined && body.byteLength === 0

const problemFaults = ({ headers, status, text }: WireResponse, method: string): ReadonlyArray<string> => {
  if (headers["cache-control"]?.includes("no-store") !== true) return ["a refusal may be cached"]
  if (method === "HEAD") return []
  const problem = decodeProblem(text)
  if (problem._tag === "None") return [`not a problem: ${text.slice(0, 300)}`]
  const { requestId, status: said } = problem.value
  return [
    ...(said === status ? [] : [`a problem with status ${said} in an answer with ${status}`]),
    ...(requestId === headers["x-request-id"] ? [] : ["the requestId of the problem isn't that of the answer"])
  ]
}

const pageFaults = ({ headers, text }: WireResponse): ReadonlyArray<string> => {
  const policy = headers["content-security-policy"]
  const policies = typeof policy === "string" ? policy : ""
  return [
    ...(/\bdefault-src 'none'/.test(policies) ? [] : ["a page without a content security policy"]),
    ...(policies.includes("frame-ancestors") ? [] : ["a page that any site may frame"]),
    ...(headers["x-content-type-options"] === "nosniff" ? [] : ["a page without nosniff"]),
    ...looseEnds(text)
  ]
}

/**
 * Whether the answer contains uploaded content, the API reference or a script of the host; its text is not checked
 * then. The router treats `//docs` and `/%64ocs` as `/docs`.
 */
const isContent = ({ target }: WireRequest, { status }: WireResponse): boolean =>
  status < 400 && /^\/+(?:replay|preview-objects|objects|viewer-assets|docs|openapi)/i.test(safelyDecoded(target))

/**
 * Finds any of these texts, the longest first, in one pass: dozens of them, searched one by one in every answer, are
 * expensive.
 */
const anyOf = (texts: ReadonlyArray<string>): RegExp => {
  const longestFirst = texts.filter((text) => text !== "").toSorted((one, other) => other.length - one.length)
  return new RegExp(longestFirst.map(RegExp.escape).join("|") || "(?!)", "g")
}

/**
 * The faults of an answer; none if it is sound. `secrets` are those that the host knows; a secret that the request
 * itself contains may be repeated.
 */
export const faultsOf = (secrets: ReadonlyArray<string>) => {
  const anySecret = anyOf(secrets)
  return (asked: WireRequest, answer: WireResponse): ReadonlyArray<string> => {
    if (isServersOwn(answer)) return []
    const { headers, rawHeaders, status } = answer
    const type = headers["content-type"] ?? ""
    const found: Array<string> = []
    if (status >= 500 && status !== 503) found.push(`status ${status}`)
    if (typeof headers["x-request-id"] !== "string") found.push("no x-request-id")
    if (type.startsWith("text/html") && !isContent(asked, answer) && asked.method !== "HEAD")
      found.push(...pageFaults(answer))
    else if (status >= 400 && type !== "application/problem+json" && asked.method !== "HEAD") {
      found.push(`a refusal as ${type === "" ? "nothing" : type}`)
    } else if (status >= 400 && type === "application/problem+json") found.push(...problemFaults(answer, asked.method))

    const mayBeginSession = /^\/+sign-(?:in|out)/i.test(asked.target)
    const lines = rawHeaders.filter(
      (_, index) => !(mayBeginSession && /^set-cookie$/i.test(rawHeaders[index - 1] ?? ""))
    )
    const everything = `${lines.join("\n")}\n${answer.text}`
    const asking = `${asked.method} ${asked.target}\n${Object.values(asked.headers).join("\n")}\n${Buffer.from(asked.body ?? []).toString("utf8")}`
    const held = asking + safelyDecoded(asking)
    for (const [secret] of everything.matchAll(anySecret)) {
      if (!held.includes(secret)) found.push(`it reveals a secret: ${secret}`)
    }
    if (!isContent(asked, answer)) {
      for (const [what, form] of inside) {
        const [match] = form.exec(everything) ?? []
        if (match !== undefined && !held.includes(match)) found.push(`it reveals ${what}: ${match.slice(0, 200)}`)
      }
    }
    if (headers["set-cookie"] !== undefined && !mayBeginSession) found.push("it sets a cookie")
    return found
  }
}

export const safelyDecoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  })
