import { Array, Effect, Schema } from "effect"
import type { DeclaredFile, DeclaredObject } from "../model/Artifact.ts"
import type { HostedObject } from "../model/HostedObject.ts"
import { ReservationId, type Reservation } from "../model/Reservation.ts"
import { BundleSlot, FileSlot } from "../model/Slot.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { stagingPrefix } from "../rules/reservations.ts"
import { finderIn } from "../rules/reuse.ts"
import { inSpan } from "./inSpan.ts"

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
export interface DeclaredUpload {
  readonly objects: Array.NonEmptyReadonlyArray<DeclaredObject>
  readonly files: ReadonlyArray<DeclaredFile>
}

/** Signs a PUT URL for each declared object. */
export const makeSlots = Effect.gen(function* () {
  const store = yield* ObjectStore

  return Effect.fnUntraced(function* (from: SlotsSource, { files, objects }: DeclaredUpload) {
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
})
