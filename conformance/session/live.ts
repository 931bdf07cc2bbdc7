import { Clock, Effect, Redacted } from "effect"
import type { Bindings, Config } from "../config/Config.ts"
import { createHash } from "node:crypto"
import {
  addCreated,
  checked,
  content,
  NoResponse,
  Session,
  sha256,
  SuiteFault,
  unique,
  type CreatedResource,
  type Keys,
  type Observation,
  type OpenSession
} from "./Session.ts"
import {
  isList,
  WrongKey,
  type HttpResponse,
  type Credential,
  type Json,
  type NearKey,
  type Request
} from "./Exchange.ts"
import { tampered } from "./tamper.ts"
import { Transport, waitBefore, type Outgoing } from "./transport.ts"
import { isKeptHeader, makeRedactor, type RawExchange } from "./redaction.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** The forms in which a binding may write a key. */
const keySpellings = (key: Redacted.Redacted): Readonly<Record<string, string>> => ({
  "{key}": Redacted.value(key),
  "{key:base64}": base64(Redacted.value(key)),
  "{basic}": base64(`${Redacted.value(key)}:`)
})

export const keyHeader = ({ header, value }: Bindings["key"], key: Redacted.Redacted): Record<string, string> => {
  const spellings = keySpellings(key)
  return { [header.toLowerCase()]: value.replaceAll(/\{[\w:]+\}/g, (place) => spellings[place] ?? place) }
}

export const digits = "0123456789"
const lower = "abcdefghijklmnopqrstuvwxyz"

/** Replaces a character by another of its kind: a digit by a digit, a letter by a letter. */
const another = (character: string, by: number): string => {
  const kind = [digits, lower, lower.toUpperCase()].find((one) => one.includes(character))
  if (kind === undefined) return character
  return kind.charAt((kind.indexOf(character) + 1 + (by % (kind.length - 1))) % kind.length)
}

const keyOfA = ({ a }: Keys): string => (a.all === undefined ? "unknown-0000000000000000" : Redacted.value(a.all))

/** A part of account a's key, with every letter and digit replaced by another. */
const changedFrom = (known: string, from: number, to = known.length): string =>
  known.slice(0, from) + Array.from(known.slice(from, to), (one) => another(one, 3)).join("") + known.slice(to)

const swappedCase = (text: string): string =>
  Array.from(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join("")

/** Where the single character is that is changed, of those after the prefix. */
const singlePlace = (known: string, runId: string): number => {
  const from = prefixOf(known).length
  return from + (Number.parseInt(sha256(runId).slice(0, 6), 16) % Math.max(1, known.length - from))
}

/** Keys near account a's, each of which a comparison that isn't whole accepts. */
export const nearKeys: Readonly<Record<Exclude<WrongKey, "unknown">, (known: string, runId: string) => string>> = {
  altered: (known) => changedFrom(known, Math.ceil(known.length * 0.75)),
  beginning: (known) => changedFrom(known, Math.min(prefixOf(known).length, known.length >> 2), known.length >> 1),
  middle: (known) => changedFrom(known, known.length >> 1, Math.ceil(known.length * 0.75)),
  single: (known, runId) => changedFrom(known, singlePlace(known, runId), singlePlace(known, runId) + 1),
  // The last one may have bits that decoding ignores: the new one differs in the others.
  last: (known) => {
    const own = known.slice(prefixOf(known).length)
    const bits = (one: string) => (Buffer.from(`${one}AAA`, "base64")[0] ?? 0) >> 4
    const others = /^[0-9a-f]+$/i.test(own) ? "4c" : "5kV"
    return known.slice(0, -1) + (Array.from(others).find((one) => bits(one) !== bits(known.slice(-1))) ?? "0")
  },
  // A key without letters of both cases, such as a UUID, may be compared without case.
  case: (known) => {
    const own = known.slice(prefixOf(known).length)
    return /[a-z]/.test(own) && /[A-Z]/.test(own) ? prefixOf(known) + swappedCase(own) : known
  },
  longer: (known) => `${known}7fQ2`,
  shorter: (known) => known.slice(0, -4),
  empty: () => ""
}

const prefixOf = (known: string): string => /^[a-z0-9]{1,12}[_.-](?=.{8})/is.exec(known)?.[0] ?? ""

/**
 * A key that no account has, in the form of account a's key: the prefix up to the first `_`, `-` or `.` stays, and
 * every further letter and digit is replaced by another. It is derived from the run.
 */
export const unknownKey = (keys: Keys, runId: string): Redacted.Redacted => {
  const known = keyOfA(keys)
  const prefix = prefixOf(known)
  const noise = createHash("sha256").update(runId).digest()
  const other = Array.from(known.slice(prefix.length), (character, index) =>
    another(character, noise[index % noise.length] ?? 0)
  )
  const text = prefix + other.join("")
  return Redacted.make(text === known ? `${known}0` : text)
}

const isWrongKey = (name: string): name is WrongKey => WrongKey.literals.some((one) => one === name)

/** The name of each key of a run, `b.builds`, and the key. */
const namedKeys = (keys: Keys) =>
  Object.entries(keys).flatMap(([account, some]) =>
    Object.entries(some).map(([name, key]) => [`${account}.${name}`, Redacted.value(key)] as const)
  )

/** A wrong key that isn't a right one by chance. */
export const wrongKey = (name: WrongKey | NearKey, keys: Keys, runId: string): Redacted.Redacted => {
  const [one = "unknown", of] = name.split(" ")
  if (!isWrongKey(one) || one === "unknown") return unknownKey(keys, runId)
  const [, known = keyOfA(keys)] = namedKeys(keys).find(([said]) => said === of) ?? []
  const near = nearKeys[one](known, runId)
  const isRight = Object.values(keys).some((some) => Object.values(some).some((key) => Redacted.value(key) === near))
  return isRight ? unknownKey(keys, runId) : Redacted.make(near)
}

/** A request that is repeated after this time, because of this status. */
export interface Waiting {
  readonly check: string
  readonly url: string
  readonly status: number
  readonly waitMs: number
}

const agents = [
  "node",
  "undici",
  "axios/1.13.2",
  "got (https://github.com/sindresorhus/got)",
  "curl/8.17.0",
  "Bun/1.3.4"
].concat(["okhttp/5.3.2", "python-requests/2.32.5", "Go-http-client/1.1", "fastlane/2.229.1", "node-fetch"])

/** The user agent of a run's requests: one that a team's CI sends. A target can't tell from it that it is tested. */
export const agentOf = (runId: string): string =>
  agents[Number.parseInt(sha256(runId).slice(0, 6), 16) % agents.length] ?? "node"

/** What all checks of a run share. */
export interface RunContext {
  readonly id: string
  readonly config: Config
  readonly keys: Keys
  /** Whether only reads are sent, whatever a check asks for. */
  readonly readOnly?: boolean
  /** Called before each wait for a target that answers 429 or 503. */
  readonly onWaiting?: (waiting: Waiting) => Effect.Effect<void>
  /** Ends the run: no request is sent any more, and waits are cut short. A request that was sent is answered first. */
  readonly signal?: AbortSignal
  /** Called when a target answers 429 for longer than a request is repeated. */
  readonly onThrottled?: (reason: string) => Effect.Effect<void>
}

/** Every form of every key. */
const spellings = ({ id, keys }: RunContext): ReadonlyArray<string> =>
  [
    ...Object.values(keys).flatMap((some) => Object.values(some)),
    ...WrongKey.literals.map((one) => wrongKey(one, keys, id)),
    ...namedKeys(keys).flatMap(([, known]) =>
      WrongKey.literals.flatMap((one) => (one === "unknown" ? [] : [Redacted.make(nearKeys[one](known, id))]))
    )
  ].flatMap((key) => Object.values(keySpellings(key)))

const keyOf = ({ id, keys }: RunContext, as: Exclude<Credential, "none">): Effect.Effect<Redacted.Redacted> => {
  if (typeof as === "string") return Effect.succeed(wrongKey(as, keys, id))
  const key = keys[as.account][as.key]
  return key === undefined
    ? Effect.die(new SuiteFault({ reason: `No key ${as.key} of account ${as.account} was asked for in the config` }))
    : Effect.succeed(key)
}

const accepts = { any: "*/*", listed: "application/json, text/plain, */*" }

const addedHeaders = (runId: string) => ({
  proxy: { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1", "x-forwarded-user": "admin", via: "1.1 gateway" },
  cache: { "if-none-match": "*", "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT", range: "bytes=0-1023" },
  tracing: {
    traceparent: `00-${sha256(runId).slice(0, 32)}-${sha256(runId).slice(0, 16)}-01`,
    "x-request-id": sha256(runId).slice(0, 12),
    "accept-language": "de",
    "user-agent": agentOf(`${runId} of another job`)
  },
  browser: { origin: "https://app.example", referer: "https://app.example/", cookie: "session=1; theme=dark" },
  forwarded: { "x-forwarded-host": "mirror.example", forwarded: "host=mirror.example" },
  override: { "x-http-method-override": "GET", "x-forwarded-prefix": "/admin" },
  typed: { "content-type": "application/json", "cache-control": "no-cache", pragma: "no-cache", te: "trailers" },
  encodings: { "accept-encoding": "gzip, deflate, br", "accept-language": "*", "sec-fetch-mode": "cors" },
  stale: { "if-none-match": `"${sha256(runId).slice(0, 12)}"`, "if-modified-since": "Thu, 01 Jan 2015 00:00:00 GMT" },
  ranged: { range: "bytes=0-0", "if-range": '"0"' }
})

const reversed = (json: Json): Json =>
  typeof json !== "object" || json === null
    ? json
    : isList(json)
      ? json.map(reversed)
      : Object.fromEntries(
          Object.entries(json)
            .map(([name, value]) => [name, reversed(value)] as const)
            .toReversed()
        )

/** The same JSON in another spelling. */
const spelledJson = (json: Json): string =>
  JSON.stringify(reversed(json), undefined, 2)
    .replaceAll("/", "\\/")
    .replaceAll(/[^\n -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The same query in another spelling. */
const spelledUrl = (url: string): string => {
  const [path = "", query] = url.split("?")
  if (query === undefined) return url
  const spelled = query.split("&").map((one) => {
    const [name, value = ""] = one.split("=")
    return `${name}=${value.replaceAll(/%..|[a-z]/gi, (part) => (part.length > 1 ? part.toLowerCase() : `%${part.charCodeAt(0).toString(16)}`))}`
  })
  return `${path}?${spelled.toReversed().join("&")}`
}

const headersOf = (
  run: RunContext,
  { content, headers, json, manner = {} }: Request,
  key: Redacted.Redacted | undefined
) => ({
  "accept-encoding": manner.gzip === true ? "gzip" : "identity",
  "user-agent": agentOf(run.id),
  ...(content !== undefined || manner.accept === "none"
    ? {}
    : { accept: manner.accept === undefined ? "application/json" : accepts[manner.accept] }),
  ...(manner.headers === undefined ? {} : addedHeaders(run.id)[manner.headers]),
  ...(json === undefined
    ? {}
    : { "content-type": manner.charset === true ? "application/json; charset=utf-8" : "application/json" }),
  ...(manner.idempotencyKey === undefined ? {} : { "idempotency-key": manner.idempotencyKey }),
  ...(manner.ifNoneMatch === undefined ? {} : { "if-none-match": manner.ifNoneMatch }),
  ...(manner.ifModifiedSince === undefined ? {} : { "if-modified-since": manner.ifModifiedSince }),
  ...headers,
  ...(key === undefined ? {} : keyHeader(run.config.bindings.key, key))
})

/** A check sees only what a recording keeps of an answer. */
const withKeptHeaders = (answer: HttpResponse): HttpResponse => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => isKeptHeader.answer(name)))
})

/** Why requests aren't sent after the signal of the run. */
export const interrupted = "The run was interrupted."

const whenAborted = (signal: AbortSignal) =>
  Effect.callback<void>((resume) => {
    const abort = () => resume(Effect.void)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

/** How often a read is repeated within the consistency window, and the shortest and longest pause, in milliseconds. */
const polls = { times: 20, leastMs: 20, maxMs: 1000 }

/** A session that sends the requests of one check to the target and records them. Its clock starts now. */
export const live = Effect.fnUntraced(function* (
  run: RunContext,
  checkId: string
): Effect.fn.Return<OpenSession, never, Transport> {
  const { send } = yield* Transport
  const { config, signal } = run
  const sleep = (ms: number) =>
    signal === undefined ? Effect.sleep(ms) : Effect.raceFirst(Effect.sleep(ms), whenAborted(signal))
  const redactor = makeRedactor({ cursorParameter: config.bindings.cursorParameter, secrets: spellings(run) })
  const began = yield* Clock.currentTimeMillis
  /** By the order in which they were begun. A place is empty until its answer has come. */
  const exchanges: Array<RawExchange | undefined> = []
  const underWay: Array<Request> = []
  let failed: Request | undefined
  let lastAt = 0
  const observations: Array<Observation> = []
  const made: Array<CreatedResource> = []

  /** Sends a request, and repeats it as a target asks that is busy. */
  const patiently = Effect.fnUntraced(function* (outgoing: Outgoing) {
    const { url } = outgoing
    let answer = yield* send(outgoing)
    let [retries, waitedMs] = [0, 0]
    for (;;) {
      const waitMs = waitBefore(answer, retries, waitedMs, yield* Clock.currentTimeMillis)
      if (waitMs === undefined) break
      yield* run.onWaiting?.({ check: checkId, url: redactor.text(url), status: answer.status, waitMs }) ?? Effect.void
      yield* sleep(waitMs)
      answer = yield* send(outgoing)
      retries += 1
      waitedMs += waitMs
    }
    if (answer.status !== 429) return { answer, retries }
    const asked = answer.headers["retry-after"]
    const more = asked === undefined ? "" : ` and asks to wait again (Retry-After: ${asked})`
    const reason = `${new URL(url).origin} returns 429, too many requests, after ${retries} retries in ${waitedMs / 1000} seconds${more}.`
    yield* run.onThrottled?.(reason) ?? Effect.void
    return yield* new NoResponse({ url, reason })
  })

  const exchange = Effect.fnUntraced(function* (asked: Request) {
    const request = yield* checked(config, asked)
    if (signal?.aborted === true) return yield* new NoResponse({ url: request.url, reason: interrupted })
    if (run.readOnly === true && request.method !== "GET") {
      return yield* Effect.die(new SuiteFault({ reason: `${request.method} ${request.url} is no read` }))
    }
    const key = request.as === "none" ? undefined : yield* keyOf(run, request.as)
    const url =
      request.tamper === undefined ? request.url : tampered(request.url, request.tamper, config.bindings.uploadUrl)
    // A secret with one changed character still reveals the rest, so it is redacted too.
    if (request.tamper === "signature" || request.tamper === "key") redactor.learn(url)
    redactor.sent(request)
    const isSpelled = request.manner?.spelled === true
    const outgoing = {
      method: request.method,
      url: isSpelled ? spelledUrl(url) : url,
      headers: headersOf(run, request, key),
      body:
        request.json === undefined
          ? request.content?.bytes
          : isSpelled
            ? spelledJson(request.json)
            : JSON.stringify(request.json),
      timeoutMs: config.timeoutMs,
      ...(request.manner === undefined ? {} : { manner: request.manner })
    }
    const place = exchanges.push(undefined) - 1
    underWay.push(request)
    const { answer, retries } = yield* patiently(outgoing).pipe(
      Effect.tapError(() => Effect.sync(() => void (failed ??= request)))
    )
    underWay.splice(underWay.indexOf(request), 1)
    redactor.learnFrom(answer)
    lastAt = (yield* Clock.currentTimeMillis) - began
    exchanges[place] = { id: place, at: lastAt, retries, request, answer }
    return withKeptHeaders(answer)
  })

  const session = Session.of({
    config,
    exchange,
    runId: run.id,
    unique: (label) => unique(run.id, checkId, label),
    content: (label, sizeBytes, contentType) => content(run.id, checkId, label, sizeBytes, contentType),
    observe: (silence, answer) => Effect.sync(() => void observations.push({ silence, answer })),
    secret: (value) => Effect.sync(() => redactor.learn(value)),
    made: (one) => Effect.sync(() => addCreated(made, one)),
    sent: Effect.sync(() => exchanges.length),
    now: Effect.sync(() => lastAt),
    wait: sleep,
    pause: sleep(Math.min(polls.maxMs, Math.max(polls.leastMs, config.windowMs / polls.times)))
  })
  const unanswered = (request: Request | undefined) =>
    request === undefined ? {} : { unanswered: redactor.request(request) }
  const kept = Effect.sync(() => ({
    exchanges: exchanges.flatMap((one) => (one === undefined ? [] : [redactor.exchange(one)])),
    ...unanswered(failed ?? underWay[0]),
    observations: observations.map(({ answer, silence }) => ({ silence, answer: redactor.json(answer) })),
    made: made.map(({ id, url, kind }) => ({
      kind,
      id: redactor.text(id),
      ...(url === undefined ? {} : { url: redactor.text(url) })
    })),
    redact: redactor.text
  }))
  return { session, log: kept }
})
