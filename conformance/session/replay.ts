import { Effect } from "effect"
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
  const redactor = makeRedactor({ cursorParameter: config.bindings.cursorParameter, secrets: [] })
  const observations: Array<Observation> = []
  const made: Array<CreatedResource> = []
  let next = 0
  let lastAt = 0

  const exchange = Effect.fnUntraced(function* (asked: Request) {
    const request = yield* checked(config, asked)
    const recorded = exchanges[next]
    const { noResponse, unanswered } = recording
    const isUnanswered =
      noResponse !== undefined &&
      (unanswered === undefined ? recorded === undefined : sameRequest(unanswered, redactor.request(request)))
    if (isUnanswered && (recorded === undefined || !sameRequest(recorded.request, redactor.request(request)))) {
      return yield* new NoResponse({ url: request.url, reason: noResponse })
    }
    if (recorded === undefined) {
      return yield* Effect.die(
        new SuiteFault({ reason: `${line(request)} is not in the recording, which ends before it` })
      )
    }
    const { answer } = recorded
    redactor.sent(request)
    const now = redactor.request(request)
    if (!sameRequest(recorded.request, now)) {
      const reason = `The check asks ${line(now)}, and the recording has ${line(recorded.request)} there or another body`
      return yield* Effect.die(new SuiteFault({ reason }))
    }
    next += 1
    lastAt = Math.max(lastAt, recorded.at)
    return toResponse(answer.status, answer.headers, answer.text)
  })

  const session = Session.of({
    config,
    exchange,
    unique: (label) => unique(runId, checkId, label),
    content: (label, sizeBytes, contentType) => content(runId, checkId, label, sizeBytes, contentType),
    observe: (silence, answer) => Effect.sync(() => void observations.push({ silence, answer })),
    secret: () => Effect.void,
    made: (one) => Effect.sync(() => addCreated(made, one)),
    now: Effect.sync(() => lastAt),
    pause: Effect.void,
    wait: () => Effect.void
  })
  return {
    session,
    log: Effect.sync(() => ({ exchanges, observations, made, redact: (text) => text })),
    unread: Effect.sync(() => exchanges.length - next)
  }
}
