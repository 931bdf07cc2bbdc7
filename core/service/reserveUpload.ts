import { DateTime, Effect, Option, Schema } from "effect"
import type { AccountId, Amounts } from "../model/Account.ts"
import type { CiDetails } from "../model/Build.ts"
import type { Caller } from "../model/ApiKey.ts"
import type { Reservation } from "../model/Reservation.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import type { BuildStore } from "../ports/BuildStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { UsageStore, type QuotaCheck } from "../ports/UsageStore.ts"
import { amountsOf, checkLimits, decideQuotas, metadataBytesOf } from "../rules/limits.ts"
import { decideOpenReservations, declaredObjects } from "../rules/reservations.ts"
import { contentsOf, notHosted } from "../rules/verification.ts"
import { BeforeReserve, type AskedReservation } from "./beforeReserve.ts"
import { Idempotency } from "./Idempotency.ts"
import { countReservation } from "./metrics.ts"
import { makeQuotas } from "./Usage.ts"
import { retryOnConflict } from "./commits.ts"
import { Settings } from "./Settings.ts"
import { Slots, SlotsSource, slotsSource, Uploads } from "./Uploads.ts"

const ticketFields = { token: Schema.String, expiresAt: Schema.DateTimeUtcFromString }

/** The schema of a reserved upload, with the field that names what it is of. */
export const ticketOf = <Named extends Schema.Struct.Fields>(named: Named) =>
  Schema.Struct({ ...named, ...ticketFields, slots: Slots })

/** The schema of what is stored of a ticket that answered a request with an `Idempotency-Key`. */
export const storedTicketOf = <Named extends Schema.Struct.Fields>(named: Named) =>
  Schema.Struct({ ...named, ...ticketFields, slots: SlotsSource })

type StoredTicket = ReturnType<typeof storedTicketOf<{}>>["Type"]
type CommitReserve = BuildStore["Service"]["commitReserve"]

/** A reserve of one kind of upload. */
interface ReserveUpload<Named, Loaded, E> {
  readonly caller: Caller
  readonly idempotencyKey: string | undefined
  /** The content of the request, which `idempotencyKey` belongs to. */
  readonly request: readonly [kind: string, content: unknown]
  /** What is reserved, as the caller declared it. */
  readonly asked: AskedReservation
  readonly stored: Schema.Codec<Named & StoredTicket, unknown>
  /** What the upload counts in addition to its bytes. */
  readonly counts?: Partial<Amounts>
  readonly load: Effect.Effect<Loaded, E>
  /** What is reserved, given the fields that every upload has and those that the host sets, and its commit. */
  readonly decide: (
    loaded: Loaded,
    upload: Omit<Reservation, "finalizedAt" | "hostedPrefix" | "stored">,
    set: CiDetails
  ) => Effect.Effect<{
    /** The field of the ticket that names what it is of. */
    readonly named: Named
    /** When the reservation ends. */
    readonly expiresAt: DateTime.Utc
    /** Commits the reservation. */
    readonly commit: (bounds: Omit<Parameters<CommitReserve>[0], "build" | "reservation">) => ReturnType<CommitReserve>
  }>
}

/** Reserves an upload of any kind: checks its limits and quotas, and answers a repeated request with the same slots. */
export const makeReserveUpload = Effect.gen(function* () {
  const uploads = yield* Uploads
  const settings = yield* Settings
  const idempotency = yield* Idempotency
  const quotas = yield* makeQuotas
  const reservations = yield* ReservationStore
  const usage = yield* UsageStore
  const beforeReserve = yield* BeforeReserve

  /**
   * Finds out why a reserve conflicted. `RateLimited`: the account has too many open reservations. `QuotaExceeded`: the account
   * would exceed a quota. The commit itself checks both, so they are counted only after a conflict, and not with every reserve.
   */
  const checkRoom = Effect.fnUntraced(function* (
    account: AccountId,
    now: DateTime.Utc,
    within: QuotaCheck | undefined
  ) {
    const open = yield* reservations.countOpen(account, now, settings.openReservations)
    yield* Effect.fromResult(decideOpenReservations(open, settings.openReservations, now))
    if (within === undefined) return
    const standing = yield* usage.find(account, within.month, now)
    yield* Effect.fromResult(decideQuotas(standing, within.quotas, within.requested, now))
  })

  return Effect.fnUntraced(function* <Named, Loaded, E>(upload: ReserveUpload<Named, Loaded, E>) {
    const { asked, caller } = upload
    const { declaration } = asked
    const account = caller.account.id
    const objects = declaredObjects(declaration)
    yield* Effect.fromResult(checkLimits(objects, uploads.limits))
    const set = yield* beforeReserve(caller, asked)

    const metadataBytes = metadataBytesOf({ ...declaration, ...set })
    const once = yield* idempotency.of({
      caller,
      key: upload.idempotencyKey,
      request: upload.request,
      answer: upload.stored
    })
    const answerOf = (stored: Named & StoredTicket) =>
      Effect.map(uploads.slots(stored.slots, { objects, files: declaration.files }), (slots) => ({ ...stored, slots }))

    return yield* retryOnConflict(
      Effect.gen(function* () {
        const earlier = yield* once.earlier
        if (Option.isSome(earlier)) return yield* answerOf(earlier.value)

        const reservedAt = yield* DateTime.now
        const [loaded, { hosted, own }] = yield* Effect.all(
          [upload.load, reservations.findForReserve(account, contentsOf(objects))],
          { concurrency: "unbounded" }
        )
        const amounts = { ...amountsOf(notHosted(objects, hosted), metadataBytes), ...upload.counts }
        const within = yield* quotas(account, amounts, reservedAt, own)

        const { token, ...ids } = yield* uploads.ticket
        const { commit, expiresAt, named } = yield* upload.decide(
          loaded,
          {
            ...ids,
            accountId: account,
            reservedAt,
            expiresAt: DateTime.addDuration(reservedAt, settings.reservationTtl),
            metadataBytes,
            ...withoutUndefined({ keyId: caller.keyId })
          },
          set
        )
        const slots = slotsSource({ id: ids.id, reservedAt, expiresAt }, objects, hosted)
        const stored = { ...named, token, expiresAt, slots }
        const answer = yield* answerOf(stored)

        const bounds = { once: yield* once.store(stored), openBelow: settings.openReservations, within }
        yield* Effect.tapErrorTag(commit(bounds), "Conflict", () => checkRoom(account, reservedAt, within))
        yield* countReservation
        return answer
      })
    )
  })
})
