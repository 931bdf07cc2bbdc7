import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { Config } from "../config/Config.ts"
import type { Exchange, Json, Request, Sent } from "./Exchange.ts"
import { makeRedactor } from "./redaction.ts"
import {
  addCreated,
  checked,
  content,
  NoResponse,
  Session,
  SuiteFault,
  unique,
  type CreatedResource,
  type Observation,
  type OpenSession
} from "./Session.ts"
import { toResponse } from "./transport.ts"

const marks = /‹redacted \d+›/g

/** A mark as `encodeURIComponent` and a form encode it. */
const encodedMarks = /%E2%80%B9redacted(?:%20|\+)(\d+)%E2%80%BA/g

/**
 * A recorded text matches the present one when they are equal outside of redacted parts. They are compared part by part
 * and not by a regular expression, which a crafted report could make extremely slow.
 */
const sameText = (recorded: string, now: string): boolean => {
  const said = now.replaceAll(encodedMarks, "‹redacted $1›")
  const [first = "", ...rest] = recorded.replaceAll(encodedMarks, "‹redacted $1›").split(marks)
  const last = rest.pop()
  if (last === undefined) return said === first
  let place = said.startsWith(first) ? first.length : -1
  for (const part of rest) {
    const found = place < 0 ? -1 : said.indexOf(part, place)
    place = found < 0 ? -1 : found + part.length
  }
  return place >= 0 && place + last.length <= said.length && said.endsWith(last)
}

export const same = (recorded: Json | undefined, now: Json | undefined): boolean => {
  if (typeof recorded === "string" && typeof now === "string") return sameText(recorded, now)
  // A redacted number is recorded as a mark.
  if (typeof recorded === "string" && typeof now === "number") return sameText(recorded, String(now))
  if (typeof recorded !== "object" || typeof now !== "object" || recorded === null || now === null)
    return recorded === now
  const [names, others] = [Object.keys(recorded), Object.keys(now)]
  return (
    Array.isArray(recorded) === Array.isArray(now) &&
    names.length === others.length &&
    names.every((name) => Object.hasOwn(now, name) && same(Reflect.get(recorded, name), Reflect.get(now, name)))
  )
}

/** Whether a request is the one that was recorded, apart from redaction. */
export const sameRequest = (recorded: Exchange["request"], now: Exchange["request"]): boolean =>
  same({ ...recorded }, { ...now })

interface Recording {
  readonly runId: string
  readonly checkId: string
  readonly config: Config
  readonly exchanges: ReadonlyArray<Exchange>
  /** Why the request after the last recorded one had no answer; `undefined` when there was no such request. */
  readonly noResponse: string | undefined
  /** That request; `undefined` when it was never sent. */
  readonly unanswered?: Sent | undefined
}

const line = ({ method, url }: { readonly method: string; readonly url: string }) => `${method} ${url}`

/**
 * A session that answers from a recording. A check's requests must equal the recorded ones apart from redaction; any
 * other request is a {@link SuiteFault}, and so is a recording with further exchanges: see `unread`.
 */
export const replay = (recording: Recording): OpenSession & { readonly unread: Effect.Effect<number> } => {
  const { checkId, config, exchanges, runId } = recording
  // A value that is marked only now has none of the recorded marks.
  const redactor = makeRedactor({ cursorParameter: config.bindings.cursorParameter, secrets: [], from: 1_000_000 })
  const observations: Array<Observation> = []
  const made: Array<CreatedResource> = []
  /** Requests that are under way together may be recorded in another order than they are asked for again. */
  const open = new Set(exchanges)
  let [lastAt, sent] = [0, 0]
  // The recorded requests were redacted when all had been sent: a value of one body is not a secret in the URL of an earlier request.
  for (const { request } of exchanges) redactor.sent(request)

  const recordedOf = (now: Sent): Exchange | undefined => {
    let alike: Exchange | undefined
    for (const one of open) {
      if (one.request.method !== now.method) continue
      if (isDeepStrictEqual(one.request, now)) return one
      if (alike === undefined && sameRequest(one.request, now)) alike = one
    }
    return alike
  }

  const exchange = Effect.fnUntraced(function* (asked: Request) {
    const request = yield* checked(config, asked)
    sent += 1
    const { noResponse, unanswered } = recording
    redactor.sent(request)
    const now = redactor.request(request)
    const recorded = recordedOf(now)
    const isUnanswered =
      noResponse !== undefined &&
      (unanswered === undefined ? open.size === 0 : recorded === undefined && sameRequest(unanswered, now))
    if (isUnanswered) return yield* new NoResponse({ url: request.url, reason: noResponse })
    if (recorded === undefined) {
      const [next] = open
      const reason =
        next === undefined
          ? `${line(request)} is not in the recording, which ends before it`
          : `The check asks ${line(now)}, and the recording has ${line(next.request)} there or another body`
      return yield* Effect.die(new SuiteFault({ reason }))
    }
    open.delete(recorded)
    const { answer, at } = recorded
    lastAt = Math.max(lastAt, at)
    return toResponse(answer.status, answer.headers, answer.text)
  })

  const session = Session.of({
    config,
    exchange,
    runId,
    unique: (label) => unique(runId, checkId, label),
    content: (label, sizeBytes, contentType) => content(runId, checkId, label, sizeBytes, contentType),
    observe: (silence, answer) => Effect.sync(() => void observations.push({ silence, answer })),
    secret: () => Effect.void,
    made: (one) => Effect.sync(() => addCreated(made, one)),
    sent: Effect.sync(() => sent),
    now: Effect.sync(() => lastAt),
    pause: Effect.void,
    wait: () => Effect.void
  })
  return {
    session,
    log: Effect.sync(() => ({ exchanges, observations, made, redact: (text) => text })),
    // What was under way beside a request without an answer isn't asked for again.
    unread: Effect.sync(() => (recording.noResponse === undefined ? open.size : 0))
  }
}
