import { Effect, Stream } from "effect"
import type { DeclaredObject, Digests } from "../../../core/model/Artifact.ts"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Reservation, ReservationId } from "../../../core/model/Reservation.ts"
import { previewObjects } from "../../../core/rules/previews.ts"
import { declaredObjects, withDigest } from "../../../core/rules/reservations.ts"

/** An object that the metadata names, with the digest that its upload declared or its finalize recorded. */
export interface HostedObject extends DeclaredObject {
  readonly key: string
  /** The upload that it belongs to: the reservation of a build, or a preview. */
  readonly upload: ReservationId
}

const of = (
  { digests, hostedPrefix, id }: Pick<Reservation, "hostedPrefix" | "id"> & { readonly digests?: Digests },
  objects: () => ReadonlyArray<DeclaredObject>
): ReadonlyArray<HostedObject> =>
  hostedPrefix === undefined
    ? []
    : objects().map((object) => ({ ...withDigest(object, digests), key: hostedPrefix + object.name, upload: id }))

const namedBy = (record: MetadataRecord): ReadonlyArray<HostedObject> => {
  if (record.kind === "reservation") {
    return of(record.value, () => declaredObjects(record.value.declaration))
  }
  return record.kind === "preview" ? of(record.value, () => previewObjects(record.value.declaration)) : []
}

/** Every hosted object, according to the records of uploads. */
export const hostedObjects = <E, R>(records: Stream.Stream<MetadataRecord, E, R>): Stream.Stream<HostedObject, E, R> =>
  Stream.flatMap(records, (record) => Stream.fromIterable(namedBy(record)))

/** The number of hosted objects and their total size in bytes. */
export const totalOf = <E, R>(objects: Stream.Stream<HostedObject, E, R>) =>
  Stream.runFold(
    objects,
    () => ({ objects: 0, bytes: 0 }),
    (total, { sizeBytes }) => ({ objects: total.objects + 1, bytes: total.bytes + sizeBytes })
  )

/** The number of records of each kind. */
export const countsOf = <E, R>(
  records: Stream.Stream<MetadataRecord, E, R>
): Effect.Effect<ReadonlyMap<string, number>, E, R> =>
  Stream.runFold(
    records,
    () => new Map<string, number>(),
    (counts, { kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1)
  )
