import { Context, Data, Effect, Semaphore } from "effect"
import type { DeclaredObject, Digests } from "../model/Artifact.ts"
import { UploadIncomplete, type ObjectMismatch } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import { Gunzip } from "../ports/Gunzip.ts"
import { ObjectStore, type OpenObject } from "../ports/ObjectStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { isDecompressedEnough, stagingPrefix } from "../rules/reservations.ts"
import { decompressesToMore, isGzip, findMismatch, notDecompressedAgain, notValidGzip } from "../rules/verification.ts"
import { contentDigest } from "./contentDigest.ts"
import { decompressionBudget } from "./decompressionBudget.ts"
import { DigestPermits } from "./DigestPermits.ts"
import { inSpan } from "./inSpan.ts"
import { rememberDecompressed } from "./rememberDecompressed.ts"
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

const putAgain = (objects: ReadonlyArray<ObjectMismatch>) =>
  new UploadIncomplete({
    detail:
      objects.length === 1
        ? "One object is missing or not what was declared; PUT it again and finalize again."
        : `${objects.length} objects are missing or not what was declared; PUT them again and finalize again.`,
    objects
  })

/** Objects that never arrived, and that their account hasn't hosted either. */
export const neverArrived = (reservation: Pick<Reservation, "id">, objects: ReadonlyArray<DeclaredObject>) =>
  putAgain(objects.flatMap((object) => findMismatch(object, undefined, stagingPrefix(reservation) + object.name) ?? []))

const reserveAgain = (objects: ReadonlyArray<ObjectMismatch>, bound: number) =>
  new UploadIncomplete({
    detail: `More than ${bound} bytes of this reservation were decompressed, so no more of it is; reserve again for less.`,
    objects
  })

/** The known digests of objects that declared none. */
const digestsOf = (
  looked: ReadonlyArray<{ readonly declared: DeclaredObject; readonly digest: string | undefined }>
): Digests | undefined => {
  const known = looked.flatMap(({ declared, digest }) =>
    declared.contentHash === undefined && digest !== undefined ? [[declared.name, digest] as const] : []
  )
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/**
 * Holds what was uploaded against what was declared, and keeps what that costs within bounds:
 *
 * - `refuseSpent` fails with `UploadIncomplete` for a reservation of which as much was decompressed as may be, without
 *   looking at anything.
 * - `verify` fails with `UploadIncomplete` and every object that doesn't fit, and else answers the objects with a declared digest
 *   that are stored without a content encoding, and the digests that are known of objects that declared none. It reads only objects whose digest the store
 *   tells neither in its listing nor when it examines them. What it decompressed for nothing is written down, whatever ended it. At most `digestsAtOnce` of one
 *   account read objects at once, each decompressing one object at a time; before the first of those it looks at the
 *   reservation again.
 */
export const makeVerification = Effect.gen(function* () {
  const store = yield* ObjectStore
  const reservations = yield* ReservationStore
  const settings = yield* Settings
  const platform = Context.make(Sha256, yield* Sha256).pipe(Context.add(Gunzip, yield* Gunzip))
  const turns = yield* DigestPermits
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

  const verify = Effect.fnUntraced(function* <E>({ hosted, objects, reload, reservation }: Promoted<E>) {
    const promoted = new Map((yield* store.list(hosted)).map((object) => [object.key, object]))
    const budget = decompressionBudget(bound)
    const decompressing = yield* Semaphore.make(1)
    // Another attempt may meanwhile have finalized the reservation, or used up its decompression budget.
    const mayDecompress = yield* Effect.cached(
      Effect.gen(function* () {
        const now = yield* reload
        if (now.finalizedAt !== undefined) return yield* new FinalizedMeanwhile()
        yield* refuseSpent(now, objects)
      })
    )
    const takenOf = (object: OpenObject) =>
      contentDigest(object, budget).pipe(
        Effect.map((digest) => ({ digest })),
        Effect.catchTags({
          NotGzip: () => Effect.succeed({ undigested: notValidGzip }),
          OverBudget: () => Effect.succeed({ undigested: decompressesToMore(bound) })
        })
      )
    const digest = (object: OpenObject) =>
      isGzip(object.contentType, object.contentEncoding)
        ? decompressing.withPermit(Effect.andThen(mayDecompress, takenOf(object)))
        : takenOf(object)

    const looked = objects.map((declared) => {
      const one = promoted.get(hosted + declared.name)
      const stagingKey = stagingPrefix(reservation) + declared.name
      const digest = one?.contentHash
      const found = one && { ...one, digest }
      const { contentEncoding } = one ?? {}
      return { declared, digest, stagingKey, contentEncoding, mismatch: findMismatch(declared, found, stagingKey) }
    })
    const isUnread = ({ declared, digest, mismatch }: (typeof looked)[number]): boolean =>
      mismatch === undefined && declared.contentHash !== undefined && digest === undefined

    type Unread = Pick<(typeof looked)[number], "declared" | "stagingKey">
    const read = ({ declared, stagingKey }: Unread) =>
      store.read(hosted + declared.name).pipe(
        Effect.flatMap((object) =>
          Effect.map(digest(object), (digest) => {
            const { contentEncoding, contentType, sizeBytes } = object
            return {
              declared,
              contentEncoding,
              mismatch: findMismatch(declared, { sizeBytes, contentType, ...digest }, stagingKey)
            }
          })
        ),
        Effect.scoped,
        Effect.catchTag(["ObjectMissing", "RangeNotSatisfiable"], () =>
          Effect.succeed({
            declared,
            contentEncoding: undefined,
            mismatch: findMismatch(declared, undefined, stagingKey)
          })
        )
      )
    const examine = Effect.fnUntraced(function* ({ declared, stagingKey }: Unread) {
      const isDeclaredGzip = isGzip(declared.contentType, undefined)
      const examined = isDeclaredGzip ? undefined : yield* store.examine?.(hosted + declared.name) ?? Effect.undefined
      if (examined?.contentHash === undefined) return yield* read({ declared, stagingKey })
      const { contentEncoding, contentHash } = examined
      return {
        declared,
        contentEncoding,
        mismatch: findMismatch(declared, { ...examined, digest: contentHash }, stagingKey)
      }
    })

    const readAll = Effect.forEach(looked, (one) => (isUnread(one) ? examine(one) : Effect.succeed(one)), {
      concurrency: settings.concurrency
    }).pipe(Effect.provideContext(platform))
    const found = looked.some(isUnread) ? turns.withPermit(reservation.accountId, readAll) : Effect.succeed(looked)
    return yield* found.pipe(
      Effect.flatMap((found) => {
        const mismatches = found.flatMap(({ mismatch }) => mismatch ?? [])
        if (mismatches.length === 0) {
          const unencoded = found.filter(
            ({ contentEncoding, declared }) => declared.contentHash !== undefined && contentEncoding === undefined
          )
          return Effect.succeed({ unencoded: unencoded.map(({ declared }) => declared), digests: digestsOf(looked) })
        }
        return Effect.fail(budget.isUsedUp() ? reserveAgain(mismatches, bound) : putAgain(mismatches))
      }),
      Effect.onError(() => rememberDecompressed(reservations, reservation.id, budget.spent()))
    )
  }, inSpan("Uploads.verify"))

  return { refuseSpent, verify }
})
