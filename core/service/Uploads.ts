import { Array, Context, Data, DateTime, Effect, Layer, Option, Schema, Semaphore, type Scope } from "effect"
import type { ByteRange, DeclaredFile, DeclaredObject, Digests } from "../model/Artifact.ts"
import type { HostedObject, ObjectKey } from "../model/HostedObject.ts"
import { BundleSlot, FileSlot, ReservationId, type Reservation } from "../model/Reservation.ts"
import { ObjectStore, type OpenObject, type StoredObject } from "../ports/ObjectStore.ts"
import {
  decideFinalize,
  declaredObjects,
  hostedPrefix,
  isDecompressionBudgetSpent,
  locate,
  stagingPrefix,
  type Finalizing,
  type HostedUpload,
  type UploadDeclaration
} from "../rules/reservations.ts"
import {
  contentsOf,
  decideStoring,
  decompressesToMore,
  finderIn,
  findHostedMismatch,
  findMismatch,
  isAcceptedEncoding,
  isAsHosted,
  isGzip,
  notDecompressedAgain,
  notValidGzip,
  notVerifiable
} from "../rules/verification.ts"
import { countFinalize, countUnusableObject, inSpan, timeFinalize } from "./telemetry.ts"
import {
  NotFound,
  Unavailable,
  UploadIncomplete,
  type ObjectMismatch,
  type RangeNotSatisfiable,
  type ReservationExpired
} from "../model/Problem.ts"
import { Gunzip, Sha256 } from "../ports/HostServices.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import {
  contentDigest,
  decompressionBudget,
  DigestPermits,
  rememberDecompressed,
  type DecompressionBudget
} from "./contentDigest.ts"
import { Settings } from "./Settings.ts"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { AccountId } from "../model/Account.ts"
import type { Conflict, WriteFailure } from "../ports/WriteFailure.ts"
import { limitsOfPut, type Limits } from "../rules/limits.ts"
import { hashSecret } from "../rules/credentials.ts"
import { retryOnConflict } from "./commits.ts"
import { orNotFound } from "./Authorization.ts"

/** The slots of a reservation: for the bundle, for each file and for each recording, in the order declared. */
export const Slots = Schema.Struct({
  bundle: BundleSlot,
  files: Schema.Array(FileSlot),
  recordings: Schema.Array(BundleSlot)
})
export type Slots = typeof Slots.Type

/**
 * Everything that slots are made of, except their declaration. It is what an answer to a request with an `Idempotency-Key` stores: a few
 * hundred bytes, however many objects were declared. `uploaded` has a `1` for each object, in the order declared, whose bytes were
 * stored before, and a `0` for the others; it is empty if none was.
 */
export const SlotsSource = Schema.Struct({
  reservation: ReservationId,
  reservedAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  uploaded: Schema.String
})
export type SlotsSource = typeof SlotsSource.Type

/** The source of a reservation's slots; `alreadyStored` are the objects that needn't be uploaded. */
export const slotsSource = (
  { expiresAt, id, reservedAt }: Pick<Reservation, "id" | "reservedAt" | "expiresAt">,
  objects: ReadonlyArray<DeclaredObject>,
  alreadyStored: ReadonlyArray<HostedObject>
): SlotsSource => {
  const find = finderIn(alreadyStored)
  const uploaded =
    alreadyStored.length === 0 ? "" : objects.map((object) => (find(object) === undefined ? "0" : "1")).join("")
  return { reservation: id, reservedAt, expiresAt, uploaded }
}

/** Everything that an upload declares: its objects, of which `files` are those with a path. */
interface DeclaredUpload {
  readonly objects: Array.NonEmptyReadonlyArray<DeclaredObject>
  readonly files: ReadonlyArray<DeclaredFile>
}

/** What the functions of this module use, looked up once. */
interface Host {
  readonly store: ObjectStore["Service"]
  readonly reservations: ReservationStore["Service"]
  readonly settings: Settings["Service"]
  readonly random: SecureRandom["Service"]
  readonly permits: DigestPermits["Service"]
  readonly platform: Context.Context<never>
  /** What is forked here outlives the request. */
  readonly scope: Scope.Scope
}

/** Signs a PUT URL for each declared object. */
const signSlots = Effect.fnUntraced(function* ({ store }: Host, from: SlotsSource, { files, objects }: DeclaredUpload) {
  const { expiresAt, reservation: id, reservedAt: signedAt, uploaded } = from
  const puts = Array.map(objects, ({ contentType, name, sizeBytes }) => ({
    key: stagingPrefix({ id }) + name,
    contentType,
    sizeBytes,
    expiresAt
  }))
  const urls = yield* store.presignPuts(puts.map((put) => ({ ...put, signedAt })))
  const [bundle, ...others] = yield* Effect.forEach(puts, ({ key, ...put }, index): Effect.Effect<BundleSlot> => {
    const putUrl = urls[index]
    return putUrl === undefined
      ? Effect.die("the object store made fewer presigned URLs than it was asked for")
      : Effect.succeed({
          putUrl,
          method: "PUT",
          objectKey: key,
          ...put,
          ...(uploaded[index] === "1" ? { uploaded: true } : {})
        })
  })
  return {
    bundle,
    files: Array.zipWith(others, files, (slot, { path }) => ({ ...slot, path })),
    recordings: others.slice(files.length)
  }
}, inSpan("Uploads.slots"))

/** Another attempt finalized the reservation while this one was under way. */
class FinalizedMeanwhile extends Data.TaggedError("FinalizedMeanwhile") {}

/** Promoted objects to verify. `hosted` is the prefix to which they were promoted. */
interface PromotedObjects<E> {
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
const neverArrived = (reservation: Pick<Reservation, "id">, objects: ReadonlyArray<DeclaredObject>) =>
  putAgain(objects.flatMap((object) => findMismatch(object, undefined, stagingPrefix(reservation) + object.name) ?? []))

const reserveAgain = (objects: ReadonlyArray<ObjectMismatch>, bound: number) =>
  new UploadIncomplete({
    detail: `More than ${bound} bytes of this reservation were decompressed, so the rest is not read; declare fewer compressed bytes in a new reservation.`,
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
  { store }: Host,
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

/** Refuses a reservation whose decompression budget is used up, without reading anything. */
const refuseSpent = (
  { settings: { decompressedBytes: bound } }: Host,
  reservation: Pick<Reservation, "id" | "decompressedBytes">,
  objects: ReadonlyArray<DeclaredObject>
): Effect.Effect<void, UploadIncomplete> =>
  isDecompressionBudgetSpent(reservation, bound)
    ? Effect.fail(reserveAgain(notDecompressedAgain(objects, stagingPrefix(reservation), bound), bound))
    : Effect.void

/**
 * Verifies promoted objects against their declarations. Fails with `UploadIncomplete` and every mismatch. Otherwise it answers the names
 * of the objects with a declared digest that are stored without a content encoding, and the known digests of objects that declared
 * none. It reads only objects whose digest the store doesn't know. If it fails or is interrupted, it stores how much it decompressed.
 * At most `maxConcurrentDigests` finalizes of one account read objects at once, each decompressing one object at a time, after it has loaded
 * the reservation again.
 */
const verify = Effect.fnUntraced(function* <E>(host: Host, promoted: PromotedObjects<E>) {
  const { permits, platform, reservations, settings, store } = host
  const { hosted, objects, reload, reservation } = promoted
  const bound = settings.decompressedBytes
  const budget = decompressionBudget(bound)
  // Another attempt may meanwhile have finalized the reservation, or used up its decompression budget.
  const mayDecompress = yield* Effect.cached(
    Effect.gen(function* () {
      const now = yield* reload
      if (now.finalizedAt !== undefined) return yield* new FinalizedMeanwhile()
      yield* refuseSpent(host, now, objects)
    })
  )
  const digestOf = yield* makeDigesting(budget, bound, mayDecompress)
  const compared = compare(promoted, yield* store.list(hosted))
  const examineAll = Effect.forEach(
    compared,
    (one) => (needsDigest(one) ? examineObject(host, hosted, one, digestOf) : Effect.succeed(one)),
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
    return Effect.succeed({
      unencoded: new Set(unencoded.map(({ declared }) => declared.name)),
      digests: digestsOf(compared)
    })
  }
  const examined = compared.some(needsDigest)
    ? permits.withPermit(reservation.accountId, examineAll)
    : Effect.succeed(compared)
  return yield* examined.pipe(
    Effect.flatMap(conclude),
    Effect.onError(() => rememberDecompressed(reservations, reservation.id, budget.spent()))
  )
}, inSpan("Uploads.verify"))

/** What an account has hosted of these contents: the objects in the store, and the keys of missing or replaced ones. */
interface HostedContents {
  readonly present: ReadonlyArray<HostedObject>
  readonly lost: ReadonlyArray<ObjectKey>
}

const findPresent = Effect.fnUntraced(function* (
  { reservations, settings, store }: Host,
  account: AccountId,
  objects: ReadonlyArray<DeclaredObject>
): Effect.fn.Return<HostedContents, Unavailable> {
  const contents = contentsOf(objects)
  const hosted = contents.length === 0 ? [] : yield* reservations.findHosted(account, contents)
  const folders = new Set(hosted.map(({ objectKey }) => objectKey.slice(0, objectKey.lastIndexOf("/") + 1)))
  const listed = yield* Effect.forEach(folders, store.list, { concurrency: settings.concurrency })
  const isPresent = isAsHosted(listed.flat())
  return {
    present: hosted.filter(isPresent),
    lost: hosted.filter((one) => !isPresent(one)).map(({ objectKey }) => objectKey)
  }
})

/** Promotes an object, and returns whether it existed. */
const promote = ({ store }: Host, from: string, to: string) =>
  store.promote(from, to).pipe(
    Effect.as(true),
    Effect.catchTag("ObjectMissing", () => Effect.succeed(false))
  )

/** What {@link promoteAll} did. */
interface Promotion {
  /** The names of the objects to verify at their hosted keys. */
  readonly promoted: ReadonlySet<string>
  /** What the account has hosted, unless that was not needed. */
  readonly contents: HostedContents
  /** The objects that may be in staging. */
  readonly sent: ReadonlyArray<DeclaredObject>
}

/** Brings each object that arrived to its hosted key. All are to be verified there that arrived, or that the account hasn't hosted. */
const promoteAll = Effect.fnUntraced(function* (
  host: Host,
  reservation: Reservation,
  objects: ReadonlyArray<DeclaredObject>,
  to: string
): Effect.fn.Return<Promotion, WriteFailure> {
  const { settings, store } = host
  const staging = stagingPrefix(reservation)
  // Most uploads are one object that was PUT. With several objects, each missing one would cost a call of the store.
  const [only, ...others] = objects
  if (only !== undefined && others.length === 0 && (yield* promote(host, staging + only.name, to + only.name))) {
    return { promoted: new Set([only.name]), contents: { present: [], lost: [] }, sent: objects }
  }
  const contents = yield* findPresent(host, reservation.accountId, objects)
  const presentKey = finderIn(contents.present)
  const arrived =
    contents.present.length === 0 ? undefined : new Set((yield* store.list(staging)).map(({ key }) => key))
  const isSent = ({ name }: DeclaredObject) => arrived?.has(staging + name) ?? true
  const promotable = objects.filter((object) => isSent(object) || presentKey(object) === undefined)
  yield* Effect.forEach(promotable, ({ name }) => promote(host, staging + name, to + name), {
    ...settings,
    discard: true
  })
  // The verification finds the objects that didn't arrive.
  return { promoted: new Set(promotable.map(({ name }) => name)), contents, sent: objects.filter(isSent) }
})

/** Removes objects of a prefix within ten seconds, if possible. */
const remove = ({ store }: Host, prefix: string, names: ReadonlyArray<string>) =>
  (names.length === 0 ? Effect.void : store.remove(names.map((name) => prefix + name))).pipe(
    Effect.interruptible,
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(Unavailable.default) }),
    Effect.catch((problem) => Effect.logWarning("Objects below a prefix could not be removed", prefix, problem.detail))
  )

const namesOf = (objects: ReadonlyArray<DeclaredObject>) => objects.map(({ name }) => name)

/** The verified objects of one attempt to finalize, below a prefix of its own. */
interface Verified extends Promotion {
  readonly prefix: string
  readonly unencoded: ReadonlySet<string>
  readonly digests: Digests | undefined
}

/** Promotes and verifies the uploaded objects, or fails and leaves none at their hosted keys. */
const promoteAndVerify = Effect.fnUntraced(function* <E>(
  host: Host,
  reservation: Reservation,
  objects: ReadonlyArray<DeclaredObject>,
  reload: Effect.Effect<Reservation, E>
) {
  yield* refuseSpent(host, reservation, objects)
  const prefix = hostedPrefix(reservation, yield* host.random.uuidV4())
  return yield* Effect.gen(function* () {
    const promotion = yield* timeFinalize("promote")(promoteAll(host, reservation, objects, prefix))
    const promoted = {
      reservation,
      objects: objects.filter(({ name }) => promotion.promoted.has(name)),
      hosted: prefix
    }
    const verified =
      promoted.objects.length === 0
        ? { digests: undefined, unencoded: new Set<string>() }
        : yield* timeFinalize("verify")(verify(host, { ...promoted, reload }))
    return { prefix, ...promotion, ...verified }
  }).pipe(Effect.onError(() => remove(host, prefix, namesOf(objects))))
}, inSpan("Uploads.promoteAndVerify"))

/** What is found by the token of a reservation: the upload, and what belongs to it. */
interface FoundUpload {
  readonly reservation: Reservation & { readonly declaration: UploadDeclaration }
}

/** A kind of upload: how it is found by the hash of its token, and how its finalize is committed. */
export interface Upload<Found extends FoundUpload> {
  readonly find: (tokenHash: string) => Effect.Effect<Option.Option<Found>, Unavailable>
  readonly commit: (
    found: Found,
    event: Finalizing,
    contents: { readonly hosted: ReadonlyArray<HostedObject>; readonly lost: ReadonlyArray<ObjectKey> }
  ) => Effect.Effect<Found, Conflict | WriteFailure>
}

/** A finalized upload, and the names of promoted objects that it doesn't use, because it shares hosted ones. */
interface Settled<Found> {
  readonly found: Found
  readonly spare: ReadonlyArray<string>
}

/** Commits a verified upload as it was found, with what its account has hosted of its contents. */
const commitVerified = Effect.fnUntraced(function* <Found extends FoundUpload>(
  upload: Upload<Found>,
  found: Found,
  { contents, digests, prefix, promoted, unencoded }: Verified
): Effect.fn.Return<Settled<Found>, Conflict | UploadIncomplete | WriteFailure> {
  const { reservation } = found
  const objects = declaredObjects(reservation.declaration)
  const { accountId } = reservation
  const { hosted, missing, spare, stored } = decideStoring(
    { accountId, objects, prefix, promoted, unencoded },
    contents.present
  )
  if (missing.length > 0) return yield* neverArrived(reservation, missing)
  const event = { now: yield* DateTime.now, hostedPrefix: prefix, digests, stored }
  const committed = yield* upload.commit(found, event, { hosted, lost: contents.lost })
  return { found: committed, spare: spare.map((key) => key.slice(prefix.length)) }
})

/** Removes what an attempt leaves in the store: after its commit what it staged and doesn't use, else what it promoted. */
const cleanUp = (
  host: Host,
  reservation: Reservation,
  { prefix, sent, ...verified }: Verified,
  won: Settled<unknown> | undefined
) =>
  won === undefined
    ? remove(host, prefix, [...verified.promoted])
    : Effect.andThen(remove(host, prefix, won.spare), remove(host, stagingPrefix(reservation), namesOf(sent)))

/**
 * Finalizes an upload. Other attempts with the same token may be under way, on any host:
 *
 * | the reservation now | the objects of this attempt | then |
 * | --- | --- | --- |
 * | finalized when it was first found | not looked at | the answer is repeated |
 * | finalized meanwhile | verified or not | the other attempt's answer; the objects of this one are removed |
 * | open | a mismatch | `UploadIncomplete` |
 * | open | verified | committed; after a `Conflict`, it is found again and decided again by this table |
 * | deleted meanwhile | verified | `NotFound`; the objects of this attempt are removed |
 */
const finalize = Effect.fnUntraced(function* <Found extends FoundUpload>(
  host: Host,
  upload: Upload<Found>,
  by: AccountId,
  token: string
) {
  const find = Effect.flatMap(upload.find(hashSecret(token)), orNotFound)
  const first = yield* find
  const { reservation } = first
  const step = yield* Effect.fromResult(decideFinalize(reservation, by, yield* DateTime.now))
  if (step === "answer-again") return first

  const objects = declaredObjects(reservation.declaration)
  const isFinalized = (found: Found) => found.reservation.finalizedAt !== undefined
  const reload = Effect.map(find, (found) => found.reservation)
  // None: another attempt has finalized it, and may have removed what was uploaded while this one verified it.
  const verified = yield* promoteAndVerify(host, reservation, objects, reload).pipe(
    Effect.asSome,
    Effect.catchTag("FinalizedMeanwhile", () => Effect.succeedNone),
    Effect.catchTag("UploadIncomplete", (incomplete) =>
      Effect.flatMap(find, (found) => (isFinalized(found) ? Effect.succeedNone : Effect.fail(incomplete)))
    )
  )
  if (Option.isNone(verified)) return yield* find
  const attempt = verified.value

  const decideAgain = Effect.gen(function* () {
    const found = yield* find
    if (isFinalized(found)) return { found, spare: [] }
    return yield* commitVerified(upload, found, { ...attempt, contents: yield* findPresent(host, by, objects) })
  })
  // The first commit is decided on what was found before the verification: if that has changed since, it conflicts. A repository
  // that is unlinked meanwhile is unlinked after the finalize. An only object that arrived is seldom hosted already: then the
  // first commit conflicts.
  const settled = yield* commitVerified(upload, first, attempt).pipe(
    Effect.catchTag("Conflict", () => retryOnConflict(decideAgain)),
    timeFinalize("commit"),
    // If the commit fails otherwise, the promoted objects stay: the commit may have succeeded with only its answer lost.
    Effect.tapErrorTag(["NotFound", "UploadIncomplete"], () => cleanUp(host, reservation, attempt, undefined))
  )
  const committed = settled.found.reservation
  const won = committed.hostedPrefix === attempt.prefix
  if (won) yield* countFinalize(committed.stored?.newBytes ?? 0)
  const cleanup = cleanUp(host, reservation, attempt, won ? settled : undefined)
  yield* Effect.forkIn(timeFinalize("cleanup")(cleanup), host.scope, { startImmediately: true })
  return settled.found
}, inSpan("Uploads.finalize"))

/** See `Uploads.open`. */
const open = Effect.fnUntraced(function* (
  { store }: Host,
  upload: HostedUpload,
  declared: DeclaredObject,
  range?: ByteRange
) {
  const located = locate(upload, declared)
  if (located === undefined) return yield* NotFound.default
  const object = yield* Effect.catchTag(
    store.read(located.key, range),
    "ObjectMissing",
    Effect.fnUntraced(function* () {
      yield* countUnusableObject("missing")
      // No error: the upload may have been deleted since it was looked up.
      yield* Effect.logWarning("A hosted object is missing from the store", { key: located.key })
      return yield* NotFound.default
    })
  )
  const different = findHostedMismatch(located, { ...object, digest: object.contentHash })
  if (different === undefined) return { ...object, contentType: declared.contentType }
  yield* countUnusableObject("altered")
  yield* Effect.logError("An object in the store isn't the one that was uploaded", different)
  return yield* Unavailable.default
})

/**
 * The upload mechanism, the same for everything that is reserved, PUT and finalized.
 *
 * @see docs/interface.md#1, #2.5, #3, #4.2, #5
 */
export class Uploads extends Context.Service<
  Uploads,
  {
    /** The limits of one declaration: those of the settings, and of one PUT to the store. */
    readonly limits: Limits
    /** The id and the token of a new reservation. Only the token's hash may be stored. */
    readonly ticket: Effect.Effect<{ readonly id: ReservationId; readonly token: string; readonly tokenHash: string }>
    /**
     * One presigned PUT for each declared object: the bundle, then `files`, then the recordings. The same source and declaration
     * give the same slots, and URLs that differ only if the store signs with other credentials by now.
     */
    readonly slots: (from: SlotsSource, declared: DeclaredUpload) => Effect.Effect<Slots, Unavailable>
    /**
     * Promotes uploaded objects to keys that no PUT URL can write, verifies them there, and commits. Bytes that the account has hosted
     * are shared and not stored again, even if they were uploaded (`decideStoring`). Repeated and concurrent calls with the same token
     * return the first commit.
     *
     * `NotFound` for a token that is not the account's or not of this kind, `ReservationExpired` past its life,
     * `UploadIncomplete` with every object that is missing or other than declared, `InsufficientStorage` when there is no room to host them. An error changes nothing but the count of
     * what was decompressed, see `isDecompressionBudgetSpent`. Orphaned objects, in staging or of a failed attempt, are removed
     * if possible, and the answer doesn't wait for that; no URL can read them in any case.
     */
    readonly finalize: <Found extends FoundUpload>(
      upload: Upload<Found>,
      by: AccountId,
      token: string
    ) => Effect.Effect<Found, NotFound | ReservationExpired | UploadIncomplete | WriteFailure>
    /**
     * Opens an object of an upload until the scope closes, with its declared content type. `NotFound` before it is finalized. Its
     * size and, where the store tells it, its digest are those of the upload, and so is the content type of what isn't shared; or the
     * answer is `Unavailable` and the log names the object. The bytes aren't read for that.
     */
    readonly open: (
      upload: HostedUpload,
      object: DeclaredObject,
      range?: ByteRange
    ) => Effect.Effect<OpenObject, NotFound | RangeNotSatisfiable | Unavailable, Scope.Scope>
  }
>()("slipway/core/service/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const host: Host = {
        store: yield* ObjectStore,
        reservations: yield* ReservationStore,
        settings: yield* Settings,
        random: yield* SecureRandom,
        permits: yield* DigestPermits,
        platform: Context.make(Sha256, yield* Sha256).pipe(Context.add(Gunzip, yield* Gunzip)),
        scope: yield* Effect.scope
      }
      const { random, settings, store } = host
      return Uploads.of({
        limits: limitsOfPut(settings.limits, store.largestPut),
        ticket: Effect.gen(function* () {
          const id = ReservationId.make(yield* random.uuidV7())
          const token = Base64Url.encode(yield* random.randomBytes(32))
          return { id, token, tokenHash: hashSecret(token) }
        }),
        slots: (from, declared) => signSlots(host, from, declared),
        finalize: (upload, by, token) => finalize(host, upload, by, token),
        open: (upload, declared, range) => open(host, upload, declared, range)
      })
    })
  )
}
