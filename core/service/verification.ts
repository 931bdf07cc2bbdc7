import { Context, Data, Effect, Semaphore } from "effect"
import type { DeclaredObject } from "../model/Artifact.ts"
import { Unavailable, UploadIncomplete } from "../model/Problem.ts"
import type { ObjectMisfit } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import { Gunzip } from "../ports/Gunzip.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import type { OpenObject } from "../ports/ObjectStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { isDecompressedEnough, stagingPrefix } from "../rules/reservations.ts"
import { isGzip, misfit, notDecompressedAgain } from "../rules/verification.ts"
import { contentDigest, decompressionBudget, isUsedUp } from "./contentDigest.ts"
import type { DecompressionBudget } from "./contentDigest.ts"
import { perAccount } from "./perAccount.ts"
import { Settings } from "./Settings.ts"

/** Another attempt finalized the reservation while this one was under way. */
export class FinalizedMeanwhile extends Data.TaggedError("FinalizedMeanwhile") {}

/** What to verify. `hosted` is the prefix to which the objects were promoted. */
export interface Promoted<E> {
  readonly reservation: Reservation
  readonly objects: ReadonlyArray<DeclaredObject>
  readonly hosted: string
  /** The reservation as it is stored now. */
  readonly reload: Effect.Effect<Reservation, E>
}

const putAgain = (objects: ReadonlyArray<ObjectMisfit>) =>
  new UploadIncomplete({
    detail:
      objects.length === 1
        ? "One object is missing or not what was declared; PUT it again and finalize again."
        : `${objects.length} objects are missing or not what was declared; PUT them again and finalize again.`,
    objects
  })

const reserveAgain = (objects: ReadonlyArray<ObjectMisfit>, bound: number) =>
  new UploadIncomplete({
    detail: `More than ${bound} bytes of this reservation were decompressed, so no more of it is; reserve again for less.`,
    objects
  })

/**
 * Holds what was uploaded against what was declared, and keeps what that costs within bounds:
 *
 * - `refuseSpent` fails with `UploadIncomplete` for a reservation of which as much was decompressed as may be, without
 *   looking at anything.
 * - `verify` fails with `UploadIncomplete` and every object that doesn't fit. What it decompressed for nothing is written
 *   down, whatever ended it. At most `digestsAtOnce` of one account take digests at once, each decompressing one object at
 *   a time; before the first of those it looks at the reservation again.
 */
export const makeVerification = Effect.gen(function* () {
  const store = yield* ObjectStore
  const reservations = yield* ReservationStore
  const settings = yield* Settings
  const platform = Context.make(Sha256, yield* Sha256).pipe(Context.add(Gunzip, yield* Gunzip))
  const inTurn = yield* perAccount(settings.digestsAtOnce)
  const bound = settings.decompressedBytes

  const refuseSpent = (
    reservation: Pick<Reservation, "id" | "decompressedBytes">,
    objects: ReadonlyArray<DeclaredObject>
  ): Effect.Effect<void, UploadIncomplete> => {
    const prefix = stagingPrefix(reservation)
    return isDecompressedEnough(reservation, bound)
      ? Effect.fail(reserveAgain(notDecompressedAgain(objects, prefix, bound), bound))
      : Effect.void
  }

  /** Stores how much a failed attempt decompressed. If that can't be stored, the answer is the same. */
  const remember = ({ id }: Reservation, { used }: DecompressionBudget) =>
    used === 0
      ? Effect.void
      : reservations.addDecompressed(id, used).pipe(
          Effect.interruptible,
          Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(Unavailable.answer) }),
          Effect.catch(() => Effect.logWarning("What a refused upload decompressed to could not be written down", id))
        )

  const verify = Effect.fn("Uploads.verify")(function* <E>({ hosted, objects, reload, reservation }: Promoted<E>) {
    const promoted = new Map((yield* store.list(hosted)).map((object) => [object.key, object]))
    const budget = decompressionBudget(bound)
    const decompressing = yield* Semaphore.make(1)
    // Others may have finalized the reservation meanwhile, or have used up what may be decompressed of it.
    const mayDecompress = yield* Effect.cached(
      Effect.gen(function* () {
        const now = yield* reload
        if (now.finalizedAt !== undefined) return yield* new FinalizedMeanwhile()
        yield* refuseSpent(now, objects)
      })
    )
    const digest = (object: OpenObject) =>
      isGzip(object.contentType, object.contentEncoding)
        ? decompressing.withPermit(Effect.andThen(mayDecompress, contentDigest(object, budget)))
        : contentDigest(object, budget)

    const verifyObject = Effect.fnUntraced(function* (declared: DeclaredObject) {
      const stagingKey = stagingPrefix(reservation) + declared.name
      const one = promoted.get(hosted + declared.name)
      const plain = misfit(declared, one, stagingKey)
      if (plain !== undefined || one === undefined || declared.contentHash === undefined) return plain
      return yield* store.read(one.key).pipe(
        Effect.flatMap((object) =>
          Effect.map(digest(object), (digest) =>
            misfit(declared, { sizeBytes: object.sizeBytes, contentType: object.contentType, digest }, stagingKey)
          )
        ),
        Effect.scoped,
        Effect.catchTag(["ObjectMissing", "RangeNotSatisfiable"], () =>
          Effect.succeed(misfit(declared, undefined, stagingKey))
        )
      )
    })

    const verifyAll = Effect.forEach(objects, verifyObject, { concurrency: settings.concurrency }).pipe(
      Effect.provideContext(platform),
      Effect.flatMap((found) => {
        const misfits = found.filter((one) => one !== undefined)
        if (misfits.length === 0) return Effect.void
        return Effect.fail(isUsedUp(budget) ? reserveAgain(misfits, bound) : putAgain(misfits))
      }),
      Effect.onError(() => remember(reservation, budget))
    )
    yield* inTurn(reservation.accountId, verifyAll)
  })

  return { refuseSpent, verify }
})
