import type { HttpResponse, Exchange, Json, Request, Sent } from "./Exchange.ts"

/** Whether the value of this JSON name is a secret. */
const isSecretName = (name: string): boolean =>
  /token|secret|password|credential|signature|api_?key|authorization|cookie/i.test(name)

/** URL parameters of the interface, whose values the suite itself writes. @see docs/interface.md#4.4, #4.10 */
const shown = ["owner", "repo", "branch", "platform", "org", "kind", "status", "source", "pr", "limit"]

/**
 * Whether the value of a parameter may be kept: parameters of the interface, `cursor`, and the numbers and times by
 * which a presigned URL states its lifetime or the length of its body.
 */
const isPlainParameter = (name: string, value: string, cursor: string): boolean =>
  shown.includes(name) ||
  name === cursor ||
  (/expire|date|until|length|size/i.test(name) && /^(?:\d{1,14}|\d{8}T\d{6}Z)$/.test(value))

/** Headers of answers that say nothing of what was asked for, or are secret as a whole. */
const droppedHeaders =
  /^(?:date|connection|keep-alive|transfer-encoding|content-encoding|accept-ranges|cache-control|pragma|expires|vary|age|via|server(?:-timing)?|x-powered-by|alt-svc|nel|report(?:-to|ing-endpoints)|set-cookie|content-security-policy.*|strict-transport-security|x-content-type-options|x-frame-options|x-xss-protection|x-dns-prefetch-control|x-download-options|x-permitted-cross-domain-policies|referrer-policy|permissions-policy|origin-agent-cluster|cross-origin-.*|access-control-.*|(?:x-)?ratelimit.*|cf-.*)$/

/** Which headers a report keeps, in lower case. */
export const isKeptHeader = {
  request: (name: string): boolean => name === "content-type",
  answer: (name: string): boolean => !droppedHeaders.test(name)
}

/** A request and its answer before redaction, in memory only. */
export interface RawExchange {
  readonly id?: number
  readonly at: number
  readonly retries: number
  readonly request: Request
  readonly answer: HttpResponse
}

const mark = /‹redacted \d+›/
/** Whether a part of a text was left out of a recording: what reads as a parameter of a URL may be a secret. */
export const isRedacted = (text: string): boolean => mark.test(text)
const onlyMark = /^‹redacted \d+›$/

/** Shorter values could occur anywhere by chance, so they are redacted only where they were found. */
const shortest = 8

const isUrl = (text: string): boolean => /^https?:\/\/\S+$/i.test(text)

/** URLs with a query in a text. */
const queriesIn = (text: string): ReadonlyArray<string> =>
  text.split(/[\s"<>]+/).filter((one) => one.includes("?") && one.includes("="))

/** Query parameters in a text. */
const parameters = /([?&]|&amp;)([^=?&#\s"<>]+)=((?:‹redacted \d+›|[^&#\s"<>])*)/g

/** `"name": "value"` in a text that isn't JSON as a whole. */
const pairs = /"([^"\\]{1,64})"(\s*:\s*)"((?:[^"\\]|\\.)*)"/g

/** `<name>value</name>` in an XML answer. */
const elements = /<([\w:-]{1,64})>([^<]+)<\/\1>/g

/** Elements in which object stores explain a wrong signature. */
const explains = /accesskey|keyid|stringtosign|canonicalrequest/i

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The forms in which a value may be written in a text. */
const spellings = (value: string): ReadonlyArray<string> => {
  // A lone surrogate can't be encoded.
  const encodable = value.toWellFormed()
  return [
    value,
    encodeURIComponent(encodable),
    encodeURIComponent(encodable).replaceAll("%20", "+"),
    encodeURI(encodable),
    JSON.stringify(value).slice(1, -1)
  ]
}

/**
 * Removes secrets from recordings. It learns them from answers and from calls of `secret`, and redacts when a check has
 * ended, so that a secret is also removed where it occurred before it was known. Equal secrets get equal marks.
 */
interface Redactor {
  /**
   * Marks a value as secret wherever it occurs. Of a URL, the values of its query are secret, or its path when it has
   * no query.
   */
  readonly learn: (secret: string) => void
  /** Learns the secrets of an answer. Values that the check itself sent before are none. */
  readonly learnFrom: (answer: HttpResponse) => void
  /** Learns what was sent. The body is the check's own; the URL may come from the target. */
  readonly sent: (request: Pick<Request, "json">) => void
  readonly text: (text: string) => string
  readonly json: (json: Json) => Json
  readonly request: (request: Request) => Sent
  readonly exchange: (raw: RawExchange) => Exchange
}

export const makeRedactor = (options: {
  readonly cursorParameter: string
  readonly secrets: Iterable<string>
  /** The number of the first mark, 1 by default. */
  readonly from?: number
}): Redactor => {
  const secrets = new Set<string>()
  /** Long secrets in every form. */
  const wherever = new Map<string, string>()
  let everywhere: RegExp | undefined
  const said: Array<string> = []
  /** Numbered in order of appearance in the recording. */
  const marks = new Map<string, string>()

  const markOf = (secret: string): string => {
    if (secret === "" || onlyMark.test(secret)) return secret
    const known = marks.get(secret) ?? `‹redacted ${marks.size + (options.from ?? 1)}›`
    marks.set(secret, known)
    return known
  }

  /** Values that the check itself sent before it received them. */
  const isOwn = (value: string): boolean =>
    value.length >= shortest &&
    !secrets.has(value) &&
    said.some((one) => spellings(value).some((spelling) => one.includes(spelling)))

  const learnValue = (value: string) => {
    if (mark.test(value) || isOwn(value)) return
    secrets.add(value)
    if (value.length < shortest) return
    for (const spelling of spellings(value)) wherever.set(spelling, value)
    everywhere = undefined
  }

  /** The secret part of a URL: the values of its query, or its path when it has no query. */
  const learnUrl = (url: string) => {
    for (const [, , name = "", value = ""] of url.matchAll(parameters)) {
      if (isPlainParameter(name, value, options.cursorParameter)) continue
      learnValue(decoded(value))
      // A form encodes a space in this way.
      if (value.includes("+")) learnValue(decoded(value.replaceAll("+", " ")))
    }
    if (!url.includes("?")) learnValue(url.replace(/^[a-z]+:\/\/[^/]*\//i, ""))
  }

  const learn = (secret: string) => (isUrl(secret) ? learnUrl(secret) : learnValue(secret))

  const learnJson = (json: Json, name: string, secret: boolean): void => {
    if (typeof json === "string") {
      if (name === "putUrl") learnUrl(json)
      for (const url of queriesIn(json)) learnUrl(url)
      if (secret && !isUrl(json)) learnValue(json)
    } else if (typeof json === "object" && json !== null) {
      const inList = Array.isArray(json)
      for (const [key, value] of Object.entries(json)) {
        learnJson(value, inList ? name : key, secret || isSecretName(inList ? name : key))
      }
    }
  }

  const known = (text: string): string => {
    everywhere ??= new RegExp(
      [...wherever.keys()]
        .toSorted((one, other) => other.length - one.length)
        .map((one) => RegExp.escape(one))
        .join("|") || "(?!)",
      "g"
    )
    return text.replace(everywhere, (found) => markOf(wherever.get(found) ?? found))
  }

  const parameter = (whole: string, sign: string, name: string, value: string): string =>
    isPlainParameter(name, value, options.cursorParameter) || mark.test(value) || isOwn(decoded(value))
      ? whole
      : `${sign}${name}=${markOf(decoded(value))}`

  const url = (text: string): string => known(text).replace(parameters, parameter)

  const text = (said: string): string =>
    url(said)
      .replace(pairs, (whole, name: string, between: string, value: string) =>
        isSecretName(name) ? `"${name}"${between}"${markOf(value)}"` : whole
      )
      .replace(elements, (whole, name: string, value: string) =>
        isSecretName(name) || explains.test(name) ? `<${name}>${markOf(value)}</${name}>` : whole
      )

  const leaf = (json: Json, secret: boolean): Json => {
    if (typeof json === "string") return secret && !isUrl(json) && !isOwn(json) ? markOf(json) : url(json)
    return secret && typeof json === "number" ? markOf(String(json)) : json
  }

  const redactJson = (json: Json, name: string, secret: boolean): Json => {
    if (typeof json !== "object" || json === null) return leaf(json, secret)
    if (Array.isArray(json)) return json.map((one: Json) => redactJson(one, name, secret))
    const members = Object.entries(json).map(([key, value]) => {
      return [known(key), redactJson(value, key, secret || isSecretName(key))] as const
    })
    return Object.fromEntries(members)
  }

  const headers = (
    all: Readonly<Record<string, string>>,
    isKept: (name: string) => boolean
  ): Record<string, string> => {
    const result: Record<string, string> = {}
    for (const [name, value] of Object.entries(all)) {
      const lower = name.toLowerCase()
      if (isKept(lower)) result[lower] = isSecretName(lower) ? markOf(value) : text(value)
    }
    return result
  }

  for (const secret of options.secrets) learnValue(secret)

  const request = (asked: Request): Sent => ({
    method: asked.method,
    url: url(asked.url),
    as: asked.as,
    headers: headers(asked.headers ?? {}, isKeptHeader.request),
    ...(asked.json === undefined ? {} : { json: redactJson(asked.json, "", false) }),
    ...(asked.content === undefined
      ? {}
      : { content: { sizeBytes: asked.content.bytes.byteLength, sha256: asked.content.sha256 } }),
    ...(asked.tamper === undefined ? {} : { tamper: asked.tamper }),
    ...(asked.manner === undefined ? {} : { manner: asked.manner })
  })

  return {
    learn,
    learnFrom: ({ headers, json, text }) => {
      const texts = json === undefined ? [text] : []
      for (const url of [headers.location ?? "", ...texts].flatMap(queriesIn)) learnUrl(url)
      if (json !== undefined) learnJson(json, "", false)
    },
    sent: ({ json }) => void (json === undefined || said.push(JSON.stringify(json))),
    text,
    json: (json) => redactJson(json, "", false),
    request,
    exchange: ({ answer, at, id, request: asked, retries }) => ({
      ...(id === undefined ? {} : { id }),
      at,
      ...(retries === 0 ? {} : { retries }),
      request: request(asked),
      answer: {
        status: answer.status,
        headers: headers(answer.headers, isKeptHeader.answer),
        text: answer.json === undefined ? text(answer.text) : JSON.stringify(redactJson(answer.json, "", false))
      }
    })
  }
}
