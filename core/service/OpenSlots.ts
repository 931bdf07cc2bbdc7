import { Context, DateTime, Effect, Layer, Option, Pull, Stream, type Scope } from "effect"
import type { RateLimited, Unavailable, UrlRefused } from "../model/Problem.ts"
import type { ReservationId } from "../model/Reservation.ts"
import { Gunzip, Sha256 } from "../ports/HostServices.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { decidePut, decompressibleByPuts, noReservation, reservationOf } from "../rules/reservations.ts"
import {
  DigestPermits,
  rememberDecompressed,
  streamDigest,
  type DecompressionBudget,
  type StreamDigest
} from "./contentDigest.ts"
import { CurrentPermit } from "./RequestScheduler.ts"
import { Settings } from "./Settings.ts"
import { inSpan } from "./telemetry.ts"

/** How the content of a PUT is encoded. */
export interface PutContent {
  readonly contentType: string
  readonly contentEncoding?: string
}

/** A slot that accepted a PUT. */
export interface OpenSlot {
  /**
   * Accepts the body of the PUT: the store reads it through `passThrough`, and stores the whole object before the scope closes.
   *
   * The digest is computed while the body is received, so that the finalize needn't read the object. All PUTs to a reservation
   * together decompress at most `decompressibleByPuts`; a digest beyond that is not computed. What was decompressed is stored when
   * the scope closes.
   *
   * The request has its permit only while a piece that has arrived is stored (`RequestScheduler.ts`), so that slow senders hold none.
   * The store gets the next piece after it has stored the one before.
   */
  readonly accept: (content: PutContent) => Effect.Effect<StreamDigest, never, Scope.Scope>
  /** Accepts the body for a store that keeps no digest: the finalize computes it, so nothing is decompressed for it here. */
  readonly acceptUndigested: Effect.Effect<StreamDigest, never, Scope.Scope>
}

/** One upload's share of a common budget; together the shares never exceed it. */
const shareOf = (shared: { left: number | undefined }): DecompressionBudget => {
  let spent = 0
  return {
    isUsedUp: () => !shared.left,
    spent: () => spent,
    spend: (bytes) => {
      const spendable = Math.min(bytes, shared.left ?? 0)
      shared.left = (shared.left ?? 0) - spendable
      spent += spendable
      return spendable === bytes
    }
  }
}

/**
 * Decides whether a slot accepts a PUT, for hosts that serve presigned URLs themselves. A URL only contains what it was signed for;
 * the stores know whether its reservation was finalized since, or its key revoked.
 */
export class OpenSlots extends Context.Service<
  OpenSlots,
  {
    /**
     * Opens the slot of an object key for one PUT, until the scope closes. `UrlRefused` once its reservation is finalized, or the key
     * that reserved is revoked or expired, and for an object key without a reservation.
     */
    readonly open: (objectKey: string) => Effect.Effect<OpenSlot, UrlRefused | RateLimited | Unavailable, Scope.Scope>
    /** Fails as `open` does if the slot was closed meanwhile: for an object that was just stored. */
    readonly check: (objectKey: string) => Effect.Effect<void, UrlRefused | Unavailable>
  }
>()("slipway/core/service/OpenSlots") {
  static readonly layer = Layer.effect(
    OpenSlots,
    Effect.gen(function* () {
      const store = yield* ReservationStore
      const settings = yield* Settings
      const permits = yield* DigestPermits
      const [sha256, gunzip] = [yield* Sha256, yield* Gunzip]

      const read = (id: ReservationId) => Effect.map(store.findForPut(id), Option.getOrUndefined)

      const decide = (found: Effect.Success<ReturnType<typeof read>>) => {
        const key = found && Option.getOrUndefined(found.key)
        return Effect.flatMap(DateTime.now, (now) => Effect.fromResult(decidePut(found?.reservation, key, now)))
      }

      /** What the PUTs to a reservation that are under way may still decompress, and how many they are. */
      const budgets = new Map<ReservationId, { puts: number; left: number | undefined }>()
      const budgetOf = (id: ReservationId) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const budget = budgets.get(id) ?? { puts: 0, left: undefined }
            budget.puts += 1
            budgets.set(id, budget)
            return budget
          }),
          (budget) =>
            Effect.sync(() => {
              budget.puts -= 1
              if (budget.puts === 0) budgets.delete(id)
            })
        )

      const open = Effect.fnUntraced(function* (objectKey: string) {
        const id = reservationOf(objectKey)
        if (id === undefined) return yield* noReservation
        const shared = yield* budgetOf(id)
        const stored = yield* read(id)
        const { accountId } = yield* decide(stored)
        // The first of them knows what earlier ones have decompressed.
        shared.left ??= stored === undefined ? 0 : decompressibleByPuts(stored.reservation, settings.decompressedBytes)
        const permit = yield* CurrentPermit
        yield* permit.attribute(accountId, undefined)
        /** The bytes, each piece of which has the permit until the next one is requested, and the end has it too. */
        const permitted = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
          Stream.transformPull(bytes, (pull) =>
            Effect.succeed(
              Effect.matchCauseEffect(Effect.andThen(permit.pause, pull), {
                onSuccess: (chunks) => Effect.as(permit.resume, chunks),
                onFailure: (cause) =>
                  Pull.isDoneCause(cause)
                    ? Effect.andThen(permit.resume, Effect.failCause(cause))
                    : Effect.failCause(cause)
              })
            )
          )
        return {
          accept: Effect.fnUntraced(function* (content) {
            const budget = shareOf(shared)
            yield* Effect.addFinalizer(() => rememberDecompressed(store, id, budget.spent()))
            const digest = yield* streamDigest(content, budget, (work) => permits.withPermit(accountId, work)).pipe(
              Effect.provideService(Sha256, sha256),
              Effect.provideService(Gunzip, gunzip)
            )
            // The digest comes first: while it waits for a digest permit, it must not hold the permit of the request.
            const passThrough: StreamDigest["passThrough"] = (bytes) => permitted(digest.passThrough(bytes))
            return { ...digest, passThrough }
          }),
          acceptUndigested: Effect.succeed({ passThrough: permitted, digest: Effect.undefined })
        } satisfies OpenSlot
      }, inSpan("OpenSlots.open"))

      const check = (objectKey: string) => {
        const id = reservationOf(objectKey)
        const found = id === undefined ? Effect.undefined : read(id)
        return Effect.asVoid(Effect.flatMap(found, decide)).pipe(inSpan("OpenSlots.check"))
      }

      return OpenSlots.of({ open, check })
    })
  )
}
