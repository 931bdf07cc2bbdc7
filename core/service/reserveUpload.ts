import { DateTime, Effect, Schema, type Array } from "effect"
import type { Amounts } from "../model/Account.ts"
import type { DeclaredObject } from "../model/Artifact.ts"
import type { CiDetails } from "../model/Build.ts"
import type { Caller } from "../model/ApiKey.ts"
import type { Content, HostedObject } from "../model/HostedObject.ts"
import type { Reservation } from "../model/Reservation.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import type { BuildStore } from "../ports/BuildStore.ts"
import type { Once } from "../ports/IdempotencyStore.ts"
import { type AccountForReserve, ReservationStore } from "../ports/ReservationStore.ts"
import { UsageStore, type QuotaCheck } from "../ports/UsageStore.ts"
import { amountsOf, checkLimits, decideQuotas, metadataBytesOf } from "../rules/limits.ts"
import { decideOpenReservations, declaredObjects } from "../rules/reservations.ts"
import { contentsOf, notHosted } from "../rules/verification.ts"
import { BeforeReserve, type AskedReservation } from "./beforeReserve.ts"
import { countReservation } from "./telemetry.ts"
import { makeQuotas } from "./Usage.ts"
import { Settings } from "./Settings.ts"
import { Slots, SlotsSource, slotsSource, Uploads } from "./Uploads.ts"

const ticketFields = { token: Schema.String, expiresAt: Schema.DateTimeUtcFromString }

/** The schema of a reserved upload, with the field that names what it is of. */
export const ticketOf = <Named extends Schema.Struct.Fields>(named: Named) =>
  Schema.Struct({ ...named, ...ticketFields, slots: Slots })

/** The schema of what is stored of a ticket that answered a request with an `Idempotency-Key`. */
export const storedTicketOf = <Named extends Schema.Struct.Fields>(named: Named) =>
  Schema.Struct({ ...named, ...ticketFields, slots: SlotsSource })

type CommitReserve = BuildStore["Service"]["commitReserve"]

/** What somebody may reserve: within the limits, with the fields that the host sets. */
interface CheckedReservation {
  readonly caller: Caller
  /** The contents of the objects, of which the account may have hosted some. */
  readonly contents: ReadonlyArray<Content>
  readonly declaration: AskedReservation["declaration"]
  readonly objects: Array.NonEmptyReadonlyArray<DeclaredObject>
  readonly set: CiDetails
  readonly metadataBytes: number
}

/** A reservation that is about to be decided. */
interface NewReservation {
  /** The fields that every upload has. */
  readonly upload: Omit<Reservation, "finalizedAt" | "hostedPrefix" | "stored">
  /** Only its hash is stored. */
  readonly token: string
  /** What the account has hosted of the objects. */
  readonly hosted: ReadonlyArray<HostedObject>
  /** The quotas that the commit has to stay within. */
  readonly within: QuotaCheck | undefined
}

/**
 * The steps of a reserve of any kind of upload, in this order: `check`, what the stores have, `begin`, the decision, `answer` and `commit`. A repeated request
 * gets the `answer` to the ticket that was stored.
 */
export const makeReserveSteps = Effect.gen(function* () {
  const uploads = yield* Uploads
  const settings = yield* Settings
  const quotas = yield* makeQuotas
  const reservations = yield* ReservationStore
  const usage = yield* UsageStore
  const beforeReserve = yield* BeforeReserve

  /**
   * Finds out why a reserve conflicted. `RateLimited`: the account has too many open reservations. `QuotaExceeded`: the account
   * would exceed a quota. The commit itself checks both, so they are counted only after a conflict, and not with every reserve.
   */
  const checkRoom = Effect.fnUntraced(function* ({ upload: { accountId, reservedAt }, within }: NewReservation) {
    const open = yield* reservations.countOpen(accountId, reservedAt, settings.openReservations)
    yield* Effect.fromResult(decideOpenReservations(open, settings.openReservations, reservedAt))
    if (within === undefined) return
    const standing = yield* usage.find(accountId, within.month, reservedAt)
    yield* Effect.fromResult(decideQuotas(standing, within.quotas, within.requested, reservedAt))
  })

  return {
    /** Checks the limits of a declaration, and asks the host. */
    check: Effect.fnUntraced(function* (caller: Caller, asked: AskedReservation) {
      const { declaration } = asked
      const objects = declaredObjects(declaration)
      yield* Effect.fromResult(checkLimits(objects, uploads.limits))
      const set = yield* beforeReserve(caller, asked)
      const checked: CheckedReservation = {
        caller,
        contents: contentsOf(objects),
        declaration,
        objects,
        set,
        metadataBytes: metadataBytesOf({ ...declaration, ...set })
      }
      return checked
    }),

    /** Makes the id and the token. `counts` is what the upload counts in addition to its bytes. */
    begin: Effect.fnUntraced(function* (
      { caller, metadataBytes, objects }: CheckedReservation,
      { hosted, own }: AccountForReserve,
      counts: Partial<Amounts> = {}
    ) {
      const accountId = caller.account.id
      const reservedAt = yield* DateTime.now
      const amounts = { ...amountsOf(notHosted(objects, hosted), metadataBytes), ...counts }
      const within = yield* quotas(accountId, amounts, reservedAt, own)
      const { token, ...ids } = yield* uploads.ticket
      const expiresAt = DateTime.addDuration(reservedAt, settings.reservationTtl)
      const fields = { accountId, reservedAt, expiresAt, metadataBytes, ...withoutUndefined({ keyId: caller.keyId }) }
      const reservation: NewReservation = { upload: { ...ids, ...fields }, token, hosted, within }
      return reservation
    }),

    /** What is stored of the ticket of a reservation. */
    ticket: (
      { objects }: CheckedReservation,
      { hosted, token }: NewReservation,
      reserved: Pick<Reservation, "id" | "reservedAt" | "expiresAt">
    ) => ({ token, expiresAt: reserved.expiresAt, slots: slotsSource(reserved, objects, hosted) }),

    /** The answer that a stored ticket stands for: with a signed URL for each object. */
    answer: <Stored extends { readonly slots: SlotsSource }>(
      { declaration, objects }: CheckedReservation,
      stored: Stored
    ) =>
      Effect.map(uploads.slots(stored.slots, { objects, files: declaration.files }), (slots) => ({ ...stored, slots })),

    /** Commits a decided reservation with the answer that is to be repeated. `Conflict` if it is to be decided again. */
    commit: Effect.fnUntraced(function* (
      reservation: NewReservation,
      once: Once | undefined,
      store: (bounds: Omit<Parameters<CommitReserve>[0], "build" | "reservation">) => ReturnType<CommitReserve>
    ) {
      const bounds = { once, openBelow: settings.openReservations, within: reservation.within }
      yield* Effect.tapErrorTag(store(bounds), "Conflict", () => checkRoom(reservation))
      yield* countReservation
    })
  }
})
