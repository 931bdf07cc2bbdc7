import { Clock, Duration, Effect, Redacted, Schema } from "effect"
import type { LookupAddress } from "node:dns"
import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"
import { Webhook } from "standardwebhooks"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { currentTraceparent } from "../../../core/service/inSpan.ts"
import { NotDelivered, type Send } from "../../../core/service/webhooks.ts"
import { retryAfterMs } from "../../client/retrying.ts"
import { receiverAddresses, type ReceiverNetworks } from "./receiverAddresses.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(SlipwayEvent), { disableChecks: true })

/** How long the receiver may take to answer. */
const answerTimeout = Duration.seconds(15)

/** What went wrong, at each address where several were tried. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(reasonOf).join(", ") : String(error)

/** Sends a POST to one of these addresses, and answers what the response begins with. */
const post = (
  url: URL,
  addresses: ReadonlyArray<LookupAddress>,
  {
    body,
    headers,
    signal
  }: { readonly body: string; readonly headers: OutgoingHttpHeaders; readonly signal: AbortSignal }
): Promise<Pick<IncomingMessage, "headers" | "statusCode">> =>
  new Promise((resolve, reject) => {
    const pinned: LookupFunction = (_host, { all }, answer) => {
      const [first] = addresses
      return all === true || first === undefined
        ? answer(null, [...addresses])
        : answer(null, first.address, first.family)
    }
    const { request } = url.protocol === "https:" ? https : http
    // Without an agent, no connection is reused that was made under another decision.
    const sending = request(url, { method: "POST", headers, lookup: pinned, agent: false, signal })
    sending.on("error", reject)
    sending.on("response", (response) => {
      resolve(response)
      response.destroy()
    })
    sending.end(body)
  })

/**
 * Sends events by Standard Webhooks: each is a POST of JSON, signed with the webhook's secret. A response of 200 to 299
 * means that it is delivered. It connects only to public addresses and to those of allowed networks. No redirect is
 * followed, no body of a response is read, and no proxy is used.
 *
 * @see docs/events.md
 */
export const makeSend = (networks: ReceiverNetworks = {}): Send =>
  Effect.fnUntraced(function* ({ secret, url }, event) {
    const webhook = new Webhook(Redacted.value(secret))
    const body = encode(event)
    const now = yield* Clock.currentTimeMillis
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "slipway",
      ...withoutUndefined({ traceparent: yield* currentTraceparent }),
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "webhook-signature": webhook.sign(event.id, new Date(now), body)
    }
    const receiver = new URL(url)
    const response = yield* receiverAddresses(receiver, networks).pipe(
      Effect.flatMap((addresses) =>
        Effect.tryPromise({
          try: (signal) => post(receiver, addresses, { body, headers, signal }),
          catch: (error) => new NotDelivered({ reason: reasonOf(error) })
        })
      ),
      Effect.timeoutOrElse({
        duration: answerTimeout,
        orElse: () => Effect.fail(new NotDelivered({ reason: `no answer in ${Duration.format(answerTimeout)}` }))
      }),
      Effect.tapError(({ reason }) => log(event, reason))
    )
    const { headers: answered, statusCode: status = 0 } = response
    const answer = `answered ${status}`
    yield* log(event, answer)
    if (status >= 200 && status <= 299) return answer
    const asked = retryAfterMs(answered["retry-after"] ?? null, now)
    return yield* new NotDelivered({
      reason: answer,
      retryAfter: asked === undefined ? undefined : Duration.millis(asked)
    })
  })

/** A line of the delivery log. It names neither the URL, which may hold a secret, nor the content of the event. */
const log = ({ id, type }: SlipwayEvent, outcome: string) => Effect.logInfo(`Webhook ${type} ${id}: ${outcome}`)
