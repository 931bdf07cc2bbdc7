import { Context, DateTime, Effect, Layer, Option, RcMap, type Scope } from "effect"
import { UrlRefused, type Unavailable } from "../model/Problem.ts"
import type { ReservationId } from "../model/Reservation.ts"
import { Gunzip } from "../ports/Gunzip.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { decidePut, decompressibleByPuts, reservationOf } from "../rules/reservations.ts"
import type { DecompressionBudget } from "./decompressionBudget.ts"
import { DigestPermits } from "./DigestPermits.ts"
import { passingDigest, type PassingDigest } from "./passingDigest.ts"
import { rememberDecompressed } from "./rememberDecompressed.ts"
import { Settings } from "./Settings.ts"
import { makeUploadPermits } from "./uploadPermits.ts"

/** An object being uploaded to a slot. */
export interface PutObject {
  readonly key: string
  readonly contentType: string
  readonly contentEncoding?: string
}

const noReservation = new UrlRefused({ detail: "There is no reservation that this URL is for." })

/** One upload's share of a common budget; together the shares never exceed it. */
const shareOf = (shared: { left: number }): DecompressionBudget => {
  let spent = 0
  return {
    isUsedUp: () => shared.left === 0,
    spent: () => spent,
    spend: (bytes) => {
      const taken = Math.min(bytes, shared.left)
      shared.left -= taken
      spent += taken
      return taken === bytes
    }
  }
}

/**
 * What a host asks that receives PUTs itself, for object stores whose presigned URLs it serves. A URL says what it was
 * signed for; that the reservation was finalized since, or its key revoked, only the stores of today say.
 */
export class OpenSlots extends Context.Service<
  OpenSlots,
  {
    /**
     * Succeeds while the slot of that object key takes a PUT. `UrlRefused` once its reservation is finalized, or the key
     * that reserved is revoked or has expired, and for an object key that belongs to no reservation.
     */
    readonly require: (objectKey: string) => Effect.Effect<void, UrlRefused | Unavailable>
    /**
     * A digest to take of an object as it comes in, so that the finalize needn't read it. All PUTs to a reservation decompress
     * no more than `decompressibleByPuts` says, however often they are sent or broken off, each piece when it is the account's
     * turn; that is written down when the scope closes. A digest that would take more is not taken.
     *
     * What passes it comes in turns, account by account: a store asks for the next piece when it has taken the one before, and
     * stores the whole object before the scope closes.
     */
    readonly digest: (object: PutObject) => Effect.Effect<PassingDigest, UrlRefused | Unavailable, Scope.Scope>
  }
>()("slipway/core/service/OpenSlots") {
  static readonly layer = Layer.effect(
    OpenSlots,
    Effect.gen(function* () {
      const store = yield* ReservationStore
      const settings = yield* Settings
      const turns = yield* DigestPermits
      const uploadPermits = yield* makeUploadPermits
      const platform = Context.make(Sha256, yield* Sha256).pipe(Context.add(Gunzip, yield* Gunzip))

      const require = Effect.fn("OpenSlots.require")(function* (objectKey: string) {
        const id = reservationOf(objectKey)
        const found = id === undefined ? undefined : Option.getOrUndefined(yield* store.findForPut(id))
        const key = found && Option.getOrUndefined(found.key)
        return yield* Effect.fromResult(decidePut(found?.reservation, key, yield* DateTime.now))
      })

      /** The remaining budget of all current PUTs to a reservation. */
      const budgets = yield* RcMap.make({
        lookup: Effect.fnUntraced(function* (id: ReservationId) {
          const found = Option.getOrUndefined(yield* store.findForPut(id))
          if (found === undefined) return yield* noReservation
          const left = decompressibleByPuts(found.reservation, settings.decompressedBytes)
          return { account: found.reservation.accountId, left }
        })
      })

      const digest = Effect.fn("OpenSlots.digest")(function* (object: PutObject) {
        const id = reservationOf(object.key)
        if (id === undefined) return yield* noReservation
        const shared = yield* RcMap.get(budgets, id)
        const budget = shareOf(shared)
        yield* Effect.addFinalizer(() => rememberDecompressed(store, id, budget.spent()))
        const digest = yield* passingDigest(object, budget, (work) => turns.withPermit(shared.account, work))
        const permitted = yield* uploadPermits(shared.account)
        // The digest comes first: while it waits for its turn of another kind, it must hold none of these.
        const pass: PassingDigest["pass"] = (bytes) => permitted(digest.pass(bytes))
        return { ...digest, pass }
      }, Effect.provideContext(platform))

      return OpenSlots.of({ require, digest })
    })
  )
}
