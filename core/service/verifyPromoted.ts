import { Context, Data, Effect, Semaphore } from "effect"
import type { DeclaredObject, Digests } from "../model/Artifact.ts"
import { UploadIncomplete, type ObjectMismatch } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import { Gunzip } from "../ports/Gunzip.ts"
import { ObjectStore, type OpenObject, type StoredObject } from "../ports/ObjectStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { isDecompressionBudgetSpent, stagingPrefix } from "../rules/reservations.ts"
import {
  decompressesToMore,
  findMismatch,
  isAcceptedEncoding,
  isGzip,
  notDecompressedAgain,
  notValidGzip,
  notVerifiable
} from "../rules/verification.ts"
import { contentDigest } from "./contentDigest.ts"
import { decompressionBudget, type DecompressionBudget } from "./decompressionBudget.ts"
import { DigestPermits } from "./DigestPermits.ts"
import { inSpan } from "./inSpan.ts"
import { rememberDecompressed } from "./rememberDecompressed.ts"
import { Settings } from "./Settings.ts"

/** Another attempt finalized the reservation while this one was under way. */
export class FinalizedMeanwhile extends Data.TaggedError("FinalizedMeanwhile") {}

/** Promoted objects to verify. `hosted` is the prefix to which they were promoted. */
export interface PromotedObjects<E> {
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

/** Refuses objects that never arrived and that their account hasn't hosted either. */
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

/** An object as the listing has it, held against its declaration. */
interface Compared {
  readonly declared: DeclaredObject
  readonly stagingKey: string
  readonly contentEncoding: string | undefined
  /** The digest of its content, if the store knows it. */
  readonly digest: string | undefined
  readonly mismatch: ObjectMismatch | undefined
}

const compare = (
  { hosted, objects, reservation }: Pick<PromotedObjects<unknown>, "hosted" | "objects" | "reservation">,
  listed: ReadonlyArray<StoredObject>
): ReadonlyArray<Compared> => {
  const promoted = new Map(listed.map((object) => [object.key, object]))
  return objects.map((declared) => {
    const object = promoted.get(hosted + declared.name)
    const stagingKey = stagingPrefix(reservation) + declared.name
    const digest = object?.contentHash
    const mismatch = findMismatch(declared, object && { ...object, digest }, stagingKey)
    return { declared, digest, stagingKey, contentEncoding: object?.contentEncoding, mismatch }
  })
}

/** Whether an object has to be read, because only its digest is still unknown. */
const needsDigest = ({ declared, digest, mismatch }: Compared): boolean =>
  mismatch === undefined && declared.contentHash !== undefined && digest === undefined

/** Computes digests within a budget, decompressing one object at a time, after `mayDecompress`. */
const makeDigesting = Effect.fnUntraced(function* <E>(
  budget: DecompressionBudget,
  bound: number,
  mayDecompress: Effect.Effect<void, E>
) {
  const decompressing = yield* Semaphore.make(1)
  return (object: OpenObject) => {
    const digest = contentDigest(object, budget).pipe(
      Effect.map((digest) => ({ digest })),
      Effect.catchTags({
        NotGzip: () => Effect.succeed({ undigested: notValidGzip }),
        OverBudget: () => Effect.succeed({ undigested: decompressesToMore(bound) })
      })
    )
    return isGzip(object.contentType, object.contentEncoding)
      ? decompressing.withPermit(Effect.andThen(mayDecompress, digest))
      : digest
  }
})

const unverifiable = (contentEncoding: string | undefined) =>
  contentEncoding === undefined || isAcceptedEncoding(contentEncoding)
    ? undefined
    : { undigested: notVerifiable(contentEncoding) }

/** Compares the digest of a hosted object with its declaration: by the store's own digest, if it has one, else by reading the object. */
const examineObject = Effect.fnUntraced(function* <E, R>(
  store: ObjectStore["Service"],
  hosted: string,
  compared: Compared,
  digestOf: (object: OpenObject) => Effect.Effect<object, E, R>
) {
  const { declared, stagingKey } = compared
  const key = hosted + declared.name
  const isDeclaredGzip = isGzip(declared.contentType, undefined)
  const examined = isDeclaredGzip ? undefined : yield* store.examine?.(key) ?? Effect.undefined
  if (examined?.contentHash !== undefined) {
    const undigested = unverifiable(examined.contentEncoding)
    const mismatch = findMismatch(declared, { ...examined, digest: examined.contentHash, ...undigested }, stagingKey)
    return { ...compared, contentEncoding: examined.contentEncoding, mismatch }
  }
  return yield* Effect.gen(function* () {
    const object = yield* store.read(key)
    const { contentEncoding, contentType, sizeBytes } = object
    const digested = unverifiable(contentEncoding) ?? (yield* digestOf(object))
    const mismatch = findMismatch(declared, { sizeBytes, contentType, ...digested }, stagingKey)
    return { ...compared, contentEncoding, mismatch }
  }).pipe(
    Effect.scoped,
    Effect.catchTag(["ObjectMissing", "RangeNotSatisfiable"], () =>
      Effect.succeed({
        ...compared,
        contentEncoding: undefined,
        mismatch: findMismatch(declared, undefined, stagingKey)
      })
    )
  )
})

/**
 * Verifies promoted objects against their declarations, within bounds:
 *
 * - `refuseSpent` fails with `UploadIncomplete` for a reservation whose decompression budget is used up, without reading anything.
 * - `verify` fails with `UploadIncomplete` and every mismatch. Otherwise it answers the objects with a declared digest that are stored
 *   without a content encoding, and the known digests of objects that declared none. It reads only objects whose digest the store
 *   doesn't know. If it fails or is interrupted, it stores how much it decompressed. At most `digestsAtOnce` finalizes of one account read objects at
 *   once, each decompressing one object at a time, after it has loaded the reservation again.
 */
export const makeVerification = Effect.gen(function* () {
  const store = yield* ObjectStore
  const reservations = yield* ReservationStore
  const settings = yield* Settings
  const platform = Context.make(Sha256, yield* Sha256).pipe(Context.add(Gunzip, yield* Gunzip))
  const permits = yield* DigestPermits
  const bound = settings.decompressedBytes

  const refuseSpent = (
    reservation: Pick<Reservation, "id" | "decompressedBytes">,
    objects: ReadonlyArray<DeclaredObject>
  ): Effect.Effect<void, UploadIncomplete> => {
    const prefix = stagingPrefix(reservation)
    return isDecompressionBudgetSpent(reservation, bound)
      ? Effect.fail(reserveAgain(notDecompressedAgain(objects, prefix, bound), bound))
      : Effect.void
  }

  const verify = Effect.fnUntraced(function* <E>(promoted: PromotedObjects<E>) {
    const { hosted, objects, reload, reservation } = promoted
    const budget = decompressionBudget(bound)
    // Another attempt may meanwhile have finalized the reservation, or used up its decompression budget.
    const mayDecompress = yield* Effect.cached(
      Effect.gen(function* () {
        const now = yield* reload
        if (now.finalizedAt !== undefined) return yield* new FinalizedMeanwhile()
        yield* refuseSpent(now, objects)
      })
    )
    const digestOf = yield* makeDigesting(budget, bound, mayDecompress)
    const compared = compare(promoted, yield* store.list(hosted))
    const examineAll = Effect.forEach(
      compared,
      (one) => (needsDigest(one) ? examineObject(store, hosted, one, digestOf) : Effect.succeed(one)),
      { concurrency: settings.concurrency }
    ).pipe(Effect.provideContext(platform))
    const conclude = (examined: ReadonlyArray<Compared>) => {
      const mismatches = examined.flatMap(({ mismatch }) => mismatch ?? [])
      if (mismatches.length > 0) {
        return Effect.fail(budget.isUsedUp() ? reserveAgain(mismatches, bound) : putAgain(mismatches))
      }
      const unencoded = examined.filter(
        ({ contentEncoding, declared }) => declared.contentHash !== undefined && contentEncoding === undefined
      )
      return Effect.succeed({ unencoded: unencoded.map(({ declared }) => declared), digests: digestsOf(compared) })
    }
    const examined = compared.some(needsDigest)
      ? permits.withPermit(reservation.accountId, examineAll)
      : Effect.succeed(compared)
    return yield* examined.pipe(
      Effect.flatMap(conclude),
      Effect.onError(() => rememberDecompressed(reservations, reservation.id, budget.spent()))
    )
  }, inSpan("Uploads.verify"))

  return { refuseSpent, verify }
})
