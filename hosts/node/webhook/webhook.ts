import { Clock, Duration, Effect, Redacted, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { NotDelivered } from "../../../core/service/deliverEvents.ts"
import type { Send } from "../../../core/service/webhooks.ts"
import { retryAfterMs } from "../../client/retrying.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(SlipwayEvent), { disableChecks: true })

/** How long the receiver may take to answer. */
const patience = Duration.seconds(15)

/** The last of the errors that led to one another: `fetch` tells only there what went wrong. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : String(error)

/**
 * Sends events as Standard Webhooks has it: each is a POST of JSON, signed with the webhook's secret. An answer of 200 to 299 says
 * that it is delivered. No redirect is followed, and no body of an answer is read.
 *
 * @see docs/events.md
 */
export const send: Send = Effect.fnUntraced(function* ({ secret, url }, event) {
  const webhook = new Webhook(Redacted.value(secret))
  const body = encode(event)
  const now = yield* Clock.currentTimeMillis
  const headers = {
    "content-type": "application/json",
    "user-agent": "slipway",
    "webhook-id": event.id,
    "webhook-timestamp": String(Math.floor(now / 1000)),
    "webhook-signature": webhook.sign(event.id, new Date(now), body)
  }
  const answer = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" })
      await response.body?.cancel()
      return response
    },
    catch: (error) => new NotDelivered({ reason: reasonOf(error) })
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new NotDelivered({ reason: `no answer in ${Duration.format(patience)}` }))
    }),
    Effect.tapError(({ reason }) => log(event, reason))
  )
  const answered = `answered ${answer.status}`
  yield* log(event, answered)
  if (answer.ok) return answered
  const asked = retryAfterMs(answer.headers.get("retry-after"), now)
  return yield* new NotDelivered({
    reason: answered,
    retryAfter: asked === undefined ? undefined : Duration.millis(asked)
  })
})

/** A line of the delivery log. It names neither the URL, which may hold a secret, nor what the event tells. */
const log = ({ id, type }: SlipwayEvent, outcome: string) => Effect.logInfo(`Webhook ${type} ${id}: ${outcome}`)
