import { Effect, Schema } from "effect"
import { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { NotDelivered, type Deliver } from "../../core/service/webhooks.ts"

/**
 * Receives an event as JSON has it. The event is delivered when the promise is fulfilled, and comes again later when it is
 * rejected; `signal` is aborted when that takes longer than 30 seconds.
 *
 * @see docs/webhooks.md
 */
export type ReceiveEvent = (event: typeof SlipwayEvent.Encoded, signal: AbortSignal) => Promise<void>

const encode = Schema.encodeSync(SlipwayEvent, { disableChecks: true })

/** Delivers events to a function. */
export const deliverToFunction =
  (receive: ReceiveEvent): Deliver =>
  ({ event, webhook }) =>
    webhook === undefined
      ? Effect.tryPromise({
          try: (signal) => receive(encode(event), signal),
          catch: (cause) => new NotDelivered({ reason: String(cause) })
        })
      : Effect.fail(new NotDelivered({ reason: "only `slipway serve` delivers to webhooks" }))
