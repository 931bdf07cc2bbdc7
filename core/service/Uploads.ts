import { Context, Effect, Layer } from "effect"
import type { DateTime, Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { DeclaredObject } from "../model/Artifact.ts"
import { NotFound, UploadIncomplete } from "../model/Problem.ts"
import type { RangeNotSatisfiable, Unavailable } from "../model/Problem.ts"
import { ReservationId } from "../model/Reservation.ts"
import type { Reservation } from "../model/Reservation.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import type { ByteRange } from "../model/Artifact.ts"
import type { OpenObject, StoredObject } from "../ports/ObjectStore.ts"
import { hostedPrefix, stagingPrefix } from "../rules/reservations.ts"
import { hashSecret } from "../rules/secrets.ts"
import { misfit } from "../rules/verification.ts"
import { contentDigest } from "./contentDigest.ts"
import { Settings } from "./Settings.ts"

/** Where to PUT one declared object. @see interface §2.5 */
export interface Slot {
  readonly putUrl: string
  readonly method: "PUT"
  readonly objectKey: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly expiresAt: DateTime.Utc
  readonly path?: string
}

/**
 * The upload mechanism, the same for everything that is reserved, PUT and finalized.
 *
 * - `ticket` makes the id and token of a new reservation; only the token's hash is to be stored.
 * - `slots` presigns one PUT for each declared object, in order.
 * - `collect` promotes what arrived to keys that no PUT URL can write, verifies it there, and answers their prefix;
 *   `UploadIncomplete` names every object that doesn't hold, and leaves the reservation as it was.
 * - `open` opens an object that was collected, until the scope closes.
 * - `settle` removes what a finalized reservation left in staging, `discard` what was collected for nothing. Both are
 *   best effort: what they miss is out of reach of every URL all the same.
 *
 * @see interface §1, §2.5, §4.2
 */
export class Uploads extends Context.Service<
  Uploads,
  {
    readonly ticket: Effect.Effect<{ readonly id: ReservationId; readonly token: string; readonly tokenHash: string }>
    readonly slots: (
      reservation: Pick<Reservation, "id" | "expiresAt">,
      objects: ReadonlyArray<DeclaredObject>
    ) => Effect.Effect<ReadonlyArray<Slot>, Unavailable>
    readonly collect: (
      reservation: Pick<Reservation, "id">,
      objects: ReadonlyArray<DeclaredObject>
    ) => Effect.Effect<string, UploadIncomplete | Unavailable>
    readonly open: (
      key: string,
      range?: ByteRange
    ) => Effect.Effect<OpenObject, NotFound | RangeNotSatisfiable | Unavailable, Scope.Scope>
    readonly settle: (
      reservation: Pick<Reservation, "id">,
      objects: ReadonlyArray<DeclaredObject>
    ) => Effect.Effect<void>
    readonly discard: (prefix: string, objects: ReadonlyArray<DeclaredObject>) => Effect.Effect<void>
  }
>()("slipway/core/service/Uploads") {
  static readonly layer = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const random = yield* SecureRandom
      const settings = yield* Settings
      const sideBySide = { concurrency: settings.concurrency }

      const ticket = Effect.gen(function* () {
        const id = ReservationId.make(yield* random.uuidV7())
        const token = Base64Url.encode(yield* random.randomBytes(32))
        return { id, token, tokenHash: hashSecret(token) }
      })

      const slots = Effect.fn("Uploads.slots")(function* (
        reservation: Pick<Reservation, "id" | "expiresAt">,
        objects: ReadonlyArray<DeclaredObject>
      ) {
        const { expiresAt } = reservation
        const prefix = stagingPrefix(reservation)
        const urls = yield* store.presignPuts(
          objects.map(({ contentType, name, sizeBytes }) => ({
            key: prefix + name,
            contentType,
            sizeBytes,
            expiresAt
          }))
        )
        return yield* Effect.forEach(urls, (putUrl, index) => {
          const object = objects[index]
          if (object === undefined) return Effect.die("the store presigned more URLs than were asked for")
          const { contentType, name, path, sizeBytes } = object
          const slot: Slot = { putUrl, method: "PUT", objectKey: prefix + name, contentType, sizeBytes, expiresAt }
          return Effect.succeed(path === undefined ? slot : { ...slot, path })
        })
      })

      const remove = (prefix: string, objects: ReadonlyArray<DeclaredObject>) =>
        store
          .remove(objects.map(({ name }) => prefix + name))
          .pipe(
            Effect.catch((problem) =>
              Effect.logWarning("Objects below a prefix could not be removed", prefix, problem.detail)
            )
          )

      const verify = Effect.fnUntraced(function* (
        declared: DeclaredObject,
        promoted: StoredObject | undefined,
        stagingKey: string
      ) {
        const plain = misfit(declared, promoted, stagingKey)
        if (plain !== undefined || promoted === undefined || declared.contentHash === undefined) return plain
        return yield* store.read(promoted.key).pipe(
          Effect.flatMap((object) =>
            Effect.map(contentDigest(object, settings.decompressedBytes), (digest) =>
              misfit(declared, { sizeBytes: object.sizeBytes, contentType: object.contentType, digest }, stagingKey)
            )
          ),
          Effect.scoped,
          Effect.catchTag(["ObjectMissing", "RangeNotSatisfiable"], () =>
            Effect.succeed(misfit(declared, undefined, stagingKey))
          )
        )
      })

      const collect = Effect.fn("Uploads.collect")(function* (
        reservation: Pick<Reservation, "id">,
        objects: ReadonlyArray<DeclaredObject>
      ) {
        const staging = stagingPrefix(reservation)
        const hosted = hostedPrefix(reservation, yield* random.uuidV4())
        return yield* Effect.gen(function* () {
          yield* Effect.forEach(
            objects,
            ({ name }) =>
              Effect.catchTag(store.promote(staging + name, hosted + name), "ObjectMissing", () => Effect.void),
            { ...sideBySide, discard: true }
          )
          const promoted = new Map((yield* store.list(hosted)).map((object) => [object.key, object]))
          const found = yield* Effect.forEach(
            objects,
            (object) => verify(object, promoted.get(hosted + object.name), staging + object.name),
            sideBySide
          )
          const misfits = found.filter((one) => one !== undefined)
          if (misfits.length > 0) {
            return yield* new UploadIncomplete({
              detail:
                misfits.length === 1
                  ? "One object is missing or not what was declared; PUT it again and finalize again."
                  : `${misfits.length} objects are missing or not what was declared; PUT them again and finalize again.`,
              objects: misfits
            })
          }
          return hosted
        }).pipe(Effect.onError(() => remove(hosted, objects)))
      })

      return Uploads.of({
        ticket,
        slots,
        collect,
        open: (key, range) =>
          Effect.catchTag(store.read(key, range), "ObjectMissing", () => Effect.fail(NotFound.answer)),
        settle: (reservation, objects) => remove(stagingPrefix(reservation), objects),
        discard: remove
      })
    })
  )
}
