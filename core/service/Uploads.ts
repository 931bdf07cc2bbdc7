import { Context, DateTime, Effect, Layer, Option, type Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { AccountId } from "../model/Account.ts"
import type { ByteRange, DeclaredObject } from "../model/Artifact.ts"
import type { HostedObject } from "../model/HostedObject.ts"
import type { ObjectKey } from "../model/ObjectKey.ts"
import {
  NotFound,
  Unavailable,
  type RangeNotSatisfiable,
  type ReservationExpired,
  type UploadIncomplete
} from "../model/Problem.ts"
import { ReservationId, type Reservation } from "../model/Reservation.ts"
import type { Conflict } from "../ports/Conflict.ts"
import { ObjectStore, type OpenObject } from "../ports/ObjectStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { contentsOf, decideStoring, finderIn, isAsHosted } from "../rules/reuse.ts"
import { limitsOfPut, type Limits } from "../rules/limits.ts"
import { findHostedMismatch } from "../rules/verification.ts"
import {
  decideFinalize,
  hostedPrefix,
  locate,
  stagingPrefix,
  type Finalizing,
  type HostedUpload
} from "../rules/reservations.ts"
import { hashSecret } from "../rules/secrets.ts"
import { retryOnConflict } from "./retryOnConflict.ts"
import { inSpan } from "./inSpan.ts"
import { countFinalize, timeFinalize } from "./metrics.ts"
import { orNotFound } from "./orNotFound.ts"
import { Settings } from "./Settings.ts"
import { makeSlots, type DeclaredUpload, type Slots, type SlotsSource } from "./uploadSlots.ts"
import { makeVerification, neverArrived } from "./verifyPromoted.ts"

/** A kind of upload: how it is found by its token, its declared objects, and how its finalize is committed. */
export interface Upload<Found> {
  readonly find: (tokenHash: string) => Effect.Effect<Option.Option<Found>, Unavailable>
  readonly reservation: (found: Found) => Reservation
  readonly objects: (found: Found) => ReadonlyArray<DeclaredObject>
  readonly commit: (
    found: Found,
    event: Finalizing,
    contents: { readonly hosted: ReadonlyArray<HostedObject>; readonly lost: ReadonlyArray<ObjectKey> }
  ) => Effect.Effect<Found, Conflict | WriteFailure>
}

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
    readonly finalize: <Found>(
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
      const store = yield* ObjectStore
      const random = yield* SecureRandom
      const settings = yield* Settings
      const reservations = yield* ReservationStore
      const scope = yield* Effect.scope
      const { refuseSpent, verify } = yield* makeVerification
      const slots = yield* makeSlots

      const ticket = Effect.gen(function* () {
        const id = ReservationId.make(yield* random.uuidV7())
        const token = Base64Url.encode(yield* random.randomBytes(32))
        return { id, token, tokenHash: hashSecret(token) }
      })

      const hosted = (account: AccountId, objects: ReadonlyArray<DeclaredObject>) => {
        const contents = contentsOf(objects)
        return contents.length === 0 ? Effect.succeed([]) : reservations.findHosted(account, contents)
      }

      /** Splits these objects: those in the store, and the keys of missing or replaced ones. */
      const checkPresence = Effect.fnUntraced(function* (found: ReadonlyArray<HostedObject>) {
        const folders = new Set(found.map(({ objectKey }) => objectKey.slice(0, objectKey.lastIndexOf("/") + 1)))
        const listed = yield* Effect.forEach(folders, store.list, { concurrency: settings.concurrency })
        const isPresent = isAsHosted(listed.flat())
        return {
          present: found.filter(isPresent),
          lost: found.filter((one) => !isPresent(one)).map(({ objectKey }) => objectKey)
        }
      })

      /** The account's hosted objects with these contents: those in the store, and the keys of missing or replaced ones. */
      const findPresent = (account: AccountId, objects: ReadonlyArray<DeclaredObject>) =>
        Effect.flatMap(hosted(account, objects), checkPresence)

      /** Promotes an object, and returns whether it existed. */
      const promote = (from: string, to: string) =>
        store.promote(from, to).pipe(
          Effect.as(true),
          Effect.catchTag("ObjectMissing", () => Effect.succeed(false))
        )

      /**
       * Brings each object that arrived to its hosted key. Answers the names of
       * those that are to be verified there: all but those that didn't arrive and that the account has hosted; what it has hosted,
       * unless that was not needed; and what may be in staging.
       */
      const promoteAll = Effect.fnUntraced(function* (
        reservation: Reservation,
        objects: ReadonlyArray<DeclaredObject>,
        to: string
      ) {
        const { accountId } = reservation
        const staging = stagingPrefix(reservation)
        // Most uploads are one object that was PUT. With several objects, each missing one would cost a call of the store.
        const [only, ...others] = objects
        if (only !== undefined && others.length === 0 && (yield* promote(staging + only.name, to + only.name))) {
          return { promoted: new Set([only.name]), present: [], lost: [], sent: objects }
        }
        const contents = yield* findPresent(accountId, objects)
        const presentKey = finderIn(contents.present)
        const arrived =
          contents.present.length === 0 ? undefined : new Set((yield* store.list(staging)).map(({ key }) => key))
        const isSent = ({ name }: DeclaredObject) => arrived?.has(staging + name) ?? true
        const sent = objects.filter(isSent)
        const own = objects.filter((object) => isSent(object) || presentKey(object) === undefined)
        yield* Effect.forEach(own, ({ name }) => promote(staging + name, to + name), { ...settings, discard: true })
        // The verification finds the objects that didn't arrive.
        return { promoted: new Set(own.map(({ name }) => name)), ...contents, sent }
      })

      const removeKeys = (prefix: string, keys: ReadonlyArray<string>) =>
        (keys.length === 0 ? Effect.void : store.remove(keys)).pipe(
          Effect.interruptible,
          Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(Unavailable.answer) }),
          Effect.catch((problem) =>
            Effect.logWarning("Objects below a prefix could not be removed", prefix, problem.detail)
          )
        )
      const remove = (prefix: string, objects: ReadonlyArray<DeclaredObject>) =>
        removeKeys(
          prefix,
          objects.map(({ name }) => prefix + name)
        )

      /**
       * Promotes and verifies the uploaded objects. Returns their prefix, or fails and leaves no objects there.
       */
      const promoteAndVerify = Effect.fnUntraced(function* (
        reservation: Reservation,
        objects: ReadonlyArray<DeclaredObject>,
        reload: Effect.Effect<Reservation, NotFound | Unavailable>
      ) {
        yield* refuseSpent(reservation, objects)
        const prefix = hostedPrefix(reservation, yield* random.uuidV4())
        return yield* Effect.gen(function* () {
          const { promoted, sent, ...contents } = yield* timeFinalize("promote")(
            promoteAll(reservation, objects, prefix)
          )
          const verified = objects.filter(({ name }) => promoted.has(name))
          const { digests, unencoded } =
            verified.length === 0
              ? { digests: undefined, unencoded: [] }
              : yield* timeFinalize("verify")(verify({ reservation, objects: verified, hosted: prefix, reload }))
          return { prefix, promoted, sent, digests, unencoded: new Set(unencoded.map(({ name }) => name)), contents }
        }).pipe(Effect.onError(() => remove(prefix, objects)))
      }, inSpan("Uploads.promoteAndVerify"))

      const finalize = Effect.fnUntraced(function* <Found>(upload: Upload<Found>, by: AccountId, token: string) {
        const find = Effect.flatMap(upload.find(hashSecret(token)), orNotFound)
        const first = yield* find
        const reserved = upload.reservation(first)
        const step = yield* Effect.fromResult(decideFinalize(reserved, by, yield* DateTime.now))
        if (step === "answer-again") return first

        const objects = upload.objects(first)
        const isFinalized = (found: Found) => upload.reservation(found).finalizedAt !== undefined
        const collected = yield* promoteAndVerify(reserved, objects, Effect.map(find, upload.reservation)).pipe(
          Effect.asSome,
          Effect.catchTag("FinalizedMeanwhile", () => Effect.succeedNone),
          Effect.catchTag("UploadIncomplete", (incomplete) =>
            // Another attempt with this token may have finalized the reservation, and removed the uploads, during this
            // verification.
            Effect.flatMap(find, (found) => (isFinalized(found) ? Effect.succeedNone : Effect.fail(incomplete)))
          )
        )
        const commit = Effect.fnUntraced(function* (
          found: Found,
          { contents, digests, prefix, promoted, unencoded }: Option.Option.Value<typeof collected>
        ) {
          const storing = decideStoring({ accountId: by, objects, prefix, promoted, unencoded }, contents.present)
          if (storing.missing.length > 0) return yield* neverArrived(reserved, storing.missing)
          const event = { now: yield* DateTime.now, hostedPrefix: prefix, digests, stored: storing.stored }
          const { hosted, spare } = storing
          return { found: yield* upload.commit(found, event, { hosted, lost: contents.lost }), spare }
        })
        const decideAgain = Effect.gen(function* () {
          const found = yield* find
          if (isFinalized(found) || Option.isNone(collected)) return { found, spare: [] }
          return yield* commit(found, { ...collected.value, contents: yield* findPresent(by, objects) })
        }).pipe(retryOnConflict)
        // The first commit is decided on what was found before the verification: if that has changed since, it conflicts. A repository
        // that is unlinked meanwhile is unlinked after the finalize. An only object that arrived is seldom hosted already: then the
        // first commit conflicts.
        const settled = yield* Option.match(collected, {
          onNone: () => decideAgain,
          onSome: (uploaded) => Effect.catchTag(commit(first, uploaded), "Conflict", () => decideAgain)
        }).pipe(
          timeFinalize("commit"),
          // The reservation or an object to share was deleted meanwhile.
          Effect.tapErrorTag(["NotFound", "UploadIncomplete"], () =>
            Option.isSome(collected) ? remove(collected.value.prefix, objects) : Effect.void
          )
        )
        // If the commit fails, the promoted objects stay: the commit may have succeeded with only its answer lost.
        if (Option.isSome(collected)) {
          const { prefix, sent } = collected.value
          const { hostedPrefix, stored } = upload.reservation(settled.found)
          const won = hostedPrefix === prefix
          if (won) yield* countFinalize(stored?.newBytes ?? 0)
          const cleanup = won
            ? Effect.andThen(removeKeys(prefix, settled.spare), remove(stagingPrefix(reserved), sent))
            : remove(prefix, objects)
          yield* Effect.forkIn(timeFinalize("cleanup")(cleanup), scope, { startImmediately: true })
        }
        return settled.found
      }, inSpan("Uploads.finalize"))

      return Uploads.of({
        limits: limitsOfPut(settings.limits, store.largestPut),
        ticket,
        slots,
        finalize,
        open: Effect.fnUntraced(function* (upload, declared, range) {
          const located = locate(upload, declared)
          if (located === undefined) return yield* NotFound.answer
          const object = yield* Effect.catchTag(store.read(located.key, range), "ObjectMissing", () =>
            Effect.fail(NotFound.answer)
          )
          const different = findHostedMismatch(located, { ...object, digest: object.contentHash })
          if (different === undefined) return { ...object, contentType: declared.contentType }
          yield* Effect.logError("An object in the store isn't the one that was uploaded", different)
          return yield* Unavailable.answer
        })
      })
    })
  )
}
