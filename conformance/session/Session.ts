import { Context, Data, Effect, Redacted } from "effect"
import {
  CurrentManner,
  type AccountName,
  type HttpResponse,
  type Content,
  type Exchange,
  type Json,
  type KeyName,
  type Manner,
  type Request,
  type Sent
} from "./Exchange.ts"
import type { Config } from "../config/Config.ts"
import { createHash } from "node:crypto"
import { fileOf } from "./fileKinds.ts"
import { canTamper } from "./tamper.ts"

/** A fault of the suite: it would send something invalid, or it doesn't follow the recording. A defect. */
export class SuiteFault extends Data.TaggedError("SuiteFault")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** The config has no key or repository that the check needs. A defect, by which the check is skipped. */
export class Unconfigured extends Data.TaggedError("Unconfigured")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** The keys of a run by account and name. Configs, requests and reports hold none of them. */
export type Keys = Readonly<Record<AccountName, Readonly<Partial<Record<KeyName, Redacted.Redacted>>>>>

/**
 * The target gave no HTTP answer: it wasn't reached, closed the connection, timed out, didn't speak HTTP or has a wrong
 * certificate.
 */
export class NoResponse extends Data.TaggedError("NoResponse")<{
  readonly url: string
  /** The reason in one sentence for a person. */
  readonly reason: string
}> {}

/** Something that the run created on the target, for the ledger. Its id is its url while no answer has the id. */
export interface CreatedResource {
  readonly kind: "build" | "preview" | "testRun"
  readonly id: string
  readonly url?: string | undefined
}

/** Adds a resource, unless it is there already. The id of one that only had a url replaces it. */
export const addCreated = (all: Array<CreatedResource>, one: CreatedResource): void => {
  const isSame = ({ id, kind, url }: CreatedResource) =>
    kind === one.kind && (id === one.id || (url !== undefined && url === one.url))
  const place = all.findIndex(isSame)
  if (place < 0) all.push(one)
  else if (one.id !== one.url) all[place] = { ...all[place], ...one }
}

/**
 * The connection of a check to the target. One implementation sends requests and records them, another answers from a
 * recording. A check can't tell them apart, so it judges a recording as it judged the target.
 *
 * - `exchange` sends a request and answers the response, whatever its status. It retries on 429 and 503 as the target
 *   asks, up to a bound, and never follows a redirect.
 * - `runId` is what everything is drawn from; the same id repeats a run.
 * - `unique` answers 16 lower-case hex digits that are derived from the run, the check and the label; `content` answers
 *   a file of the given size and type that is derived from the same, valid for a target that parses it.
 * - `observe` records in the register of choices what the target does where the interface leaves the behaviour open.
 *   `silence` names the situation; the same situation must have the same answer throughout a run.
 * - `secret` marks a value of an answer as secret, so that no report contains it. Values under names such as `token`,
 *   and the values in the query of a URL, are always secret.
 * - `made` adds something that the run created to the ledger. The dialect does so for every request that creates something.
 * - `sent` is how many requests the check has sent so far.
 * - `now` is the time of the last answer, in milliseconds since the check began; 0 before the first.
 */
export class Session extends Context.Service<
  Session,
  {
    /** What the run knows of the target, without keys. */
    readonly config: Config
    readonly exchange: (request: Request) => Effect.Effect<HttpResponse, NoResponse>
    readonly runId: string
    readonly unique: (label: string) => string
    readonly content: (label: string, sizeBytes: number, contentType?: string) => Content
    readonly observe: (silence: string, answer: Json) => Effect.Effect<void>
    readonly secret: (value: string) => Effect.Effect<void>
    readonly made: (made: CreatedResource) => Effect.Effect<void>
    readonly sent: Effect.Effect<number>
    readonly now: Effect.Effect<number>
    /** Waits before a read is repeated, up to the consistency window. A recording doesn't wait. */
    readonly pause: Effect.Effect<void>
    /** Waits for so many milliseconds, where time itself is what is checked. A recording doesn't wait. */
    readonly wait: (ms: number) => Effect.Effect<void>
  }
>()("slipway/conformance/session/Session") {}

/** What a check observed where the interface leaves the behaviour open. */
export interface Observation {
  readonly silence: string
  readonly answer: Json
}

/** The recording of a check. It holds no secret. */
interface SessionLog {
  /** In the order in which they were begun. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** The request that got no answer, or that was under way when the check was ended. */
  readonly unanswered?: Sent | undefined
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<CreatedResource>
  /** Removes the secrets from another text, such as the message of a violation. */
  readonly redact: (text: string) => string
}

/** A session for one check, and its recording so far. */
export interface OpenSession {
  readonly session: Session["Service"]
  readonly log: Effect.Effect<SessionLog>
}

export const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")

/** 16 lower-case hex digits that are derived only from the run, the check and the label. */
export const unique = (runId: string, checkId: string, label: string): string =>
  sha256(JSON.stringify([runId, checkId, label])).slice(0, 16)

/** As many hex digits, all on one line. Only the first 64 of a thousand are derived, so large ones are quick. */
export const noise = (seed: string) => (sizeBytes: number) => {
  const lines: Array<string> = []
  for (let line = 0; line * 1024 < sizeBytes; line++) lines.push(sha256(`${seed} ${line}`).repeat(16))
  return new TextEncoder().encode(lines.join("").slice(0, sizeBytes))
}

/**
 * A file of the given number of bytes, derived from the same: one that a parser of its type accepts, where the size has
 * room for that, and otherwise printable ASCII.
 */
export const content = (
  runId: string,
  checkId: string,
  label: string,
  sizeBytes: number,
  contentType = "text/plain"
): Content => {
  const seed = sha256(JSON.stringify([runId, checkId, label, "content"]))
  const bytes = Uint8Array.from(fileOf(contentType, sizeBytes, noise(seed)))
  return { bytes, sha256: sha256(bytes) }
}

export const fault = ({ bindings, url: baseUrl }: Target, request: Request): string | undefined => {
  const { content, headers, json, method, tamper, url } = request
  if (!/^[A-Z]+$/.test(method)) return `${method} is no method`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return `${url} is no URL to send to`
  // Other URLs came from the target.
  if (url.startsWith(baseUrl) && /\/(?:undefined|null|NaN)(?:[/?]|$)/.test(url))
    return `${url} has a part that is missing`
  if (json !== undefined && content !== undefined) return "A request has one body"
  if (tamper !== undefined && !canTamper(url, tamper, bindings.uploadUrl))
    return `The URL has nothing to tamper with for ${tamper}`
  const named = Object.keys(headers ?? {}).find((name) => /^(?:authorization|cookie|x-api-key)$/i.test(name))
  return named === undefined ? undefined : `The header ${named} belongs to the session`
}

/** Other spellings of a path below `/api/v1/`. */
const spelledPaths: Readonly<Record<NonNullable<Manner["path"]>, (path: string) => string>> = {
  slash: (path) => `${path}/`,
  double: (path) => path.replace("/api/v1/", "/api/v1//"),
  escaped: (path) => path.replace(/(?<=\/api\/v1\/)[a-z]/, (one) => `%${one.charCodeAt(0).toString(16)}`),
  capitals: (path) => path.replace(/\/api\/v1\/[a-z-]+/, (one) => one.toUpperCase()),
  suffix: (path) => `${path}.json`,
  parameter: (path) => `${path};v=1`
}

/** The request in the manner that the check wants. A manner that says nothing of this request is left out. */
const inManner = (request: Request, manner: Manner): Request => {
  const { head = false, path: spelledPath, ...sent } = manner
  const isRead = request.method === "GET"
  const { accept, charset, chunked, idempotencyKey, ifModifiedSince, ifNoneMatch, socket, spelled, ...others } = sent
  const [isJson, isContent] = [request.json !== undefined, request.content !== undefined]
  const [path = "", query] = request.url.split("?")
  const kept: Manner = {
    ...others,
    ...(accept === undefined || isContent ? {} : { accept }),
    ...(charset === undefined || !isJson ? {} : { charset }),
    ...(idempotencyKey === undefined || !isJson ? {} : { idempotencyKey }),
    ...(ifNoneMatch === undefined || !isRead ? {} : { ifNoneMatch }),
    ...(ifModifiedSince === undefined || !isRead ? {} : { ifModifiedSince }),
    ...(spelled === undefined || !(isJson || (isRead && query !== undefined)) ? {} : { spelled }),
    ...(chunked === undefined || !(isJson || isContent) ? {} : { chunked }),
    ...(socket === undefined || !isContent ? {} : { socket })
  }
  return {
    ...request,
    ...(head && isRead ? { method: "HEAD" } : {}),
    ...(spelledPath === undefined
      ? {}
      : { url: `${spelledPaths[spelledPath](path)}${query === undefined ? "" : `?${query}`}` }),
    ...(Object.keys(kept).length === 0 ? {} : { manner: kept })
  }
}

/** Refuses, as a fault of the suite, a request that no check should send to the target. */
export const checked = (target: Target, request: Request): Effect.Effect<Request> => {
  const { as } = request
  if (target.scopedKeys === false && typeof as === "object" && /^(?:builds|previewUpload|testRuns)$/.test(as.key)) {
    return Effect.die(new Unconfigured({ reason: `The config has no key accounts.${as.account}.keys.${as.key}.` }))
  }
  const reason = fault(target, request)
  return reason === undefined
    ? Effect.map(CurrentManner, (manner) => inManner(request, manner))
    : Effect.die(new SuiteFault({ reason }))
}

export type Target = Pick<Config, "bindings" | "scopedKeys" | "url">
