import { Context, DateTime, Effect, Layer, Option } from "effect"
import { UrlRefused } from "../model/Problem.ts"
import type { Unavailable } from "../model/Problem.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { decidePut, reservationOf } from "../rules/reservations.ts"

/**
 * Whether a slot still takes a PUT, for object stores whose presigned URLs are served by the host itself. A URL says what
 * it was signed for; that the reservation was finalized since, or its key revoked, only the stores of today say.
 */
export class OpenSlots extends Context.Service<
  OpenSlots,
  {
    /**
     * Succeeds while the slot of that object key takes a PUT. `UrlRefused` once its reservation is finalized, or the key
     * that reserved is revoked or has expired, and for an object key that belongs to no reservation.
     */
    readonly require: (objectKey: string) => Effect.Effect<void, UrlRefused | Unavailable>
  }
>()("slipway/core/service/OpenSlots") {
  static readonly layer = Layer.effect(
    OpenSlots,
    Effect.gen(function* () {
      const store = yield* ReservationStore
      const require = Effect.fn("OpenSlots.require")(function* (objectKey: string) {
        const id = reservationOf(objectKey)
        const found = id === undefined ? undefined : Option.getOrUndefined(yield* store.findForPut(id))
        const key = found && Option.getOrUndefined(found.key)
        return yield* Effect.fromResult(decidePut(found?.reservation, key, yield* DateTime.now))
      })
      return OpenSlots.of({ require })
    })
  )
}
