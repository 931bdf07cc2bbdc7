import { Effect } from "effect"
import type { Config } from "../config/Config.ts"
import type { Exchange, Request, Sent } from "./Exchange.ts"
import type { Observation, OpenSession } from "./SessionLog.ts"
import { checked } from "./ownRequest.ts"
import { makeRedactor } from "./redaction.ts"
import { sameRequest } from "./sameRequest.ts"
import { addCreated, NoAnswer, Session, type CreatedResource } from "./Session.ts"
import { SuiteFault } from "./SuiteFault.ts"
import { toAnswer } from "./transport.ts"
import { content, unique } from "./unique.ts"

export interface Recording {
  readonly runId: string
  readonly checkId: string
  readonly config: Config
  readonly exchanges: ReadonlyArray<Exchange>
  /** Why the request after the last recorded one had no answer; `undefined` when there was no such request. */
  readonly noAnswer: string | undefined
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
    const { noAnswer, unanswered } = recording
    const isUnanswered =
      noAnswer !== undefined &&
      (unanswered === undefined ? recorded === undefined : sameRequest(unanswered, redactor.request(request)))
    if (isUnanswered && (recorded === undefined || !sameRequest(recorded.request, redactor.request(request)))) {
      return yield* new NoAnswer({ url: request.url, reason: noAnswer })
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
    return toAnswer(answer.status, answer.headers, answer.text)
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
