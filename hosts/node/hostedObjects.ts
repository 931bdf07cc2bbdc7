import { Effect, Stream } from "effect"
import type { DeclaredObject } from "../../core/model/Artifact.ts"
import type { MetadataRecord } from "../../core/model/MetadataRecord.ts"
import type { Reservation, ReservationId } from "../../core/model/Reservation.ts"
import { declaredObjects, type HostedUpload, locate, type Located } from "../../core/rules/reservations.ts"

/** An object that the metadata names, with the digest that its upload declared or its finalize recorded. */
export interface HostedObject extends Located {
  /** The upload that it belongs to: the reservation of a build, or a preview. */
  readonly upload: ReservationId
}

const of = (
  upload: HostedUpload & Pick<Reservation, "id">,
  objects: () => ReadonlyArray<DeclaredObject>
): ReadonlyArray<HostedObject> =>
  upload.hostedPrefix === undefined
    ? []
    : objects().flatMap((object) => {
        const located = locate(upload, object)
        return located === undefined ? [] : [{ ...located, upload: upload.id }]
      })

const namedBy = (record: MetadataRecord): ReadonlyArray<HostedObject> => {
  if (record.kind !== "reservation" && record.kind !== "preview") return []
  return of(record.value, () => declaredObjects(record.value.declaration))
}

/** Every hosted object, according to the records of uploads: one that several uploads share, once for each of them. */
export const hostedObjects = <E, R>(records: Stream.Stream<MetadataRecord, E, R>): Stream.Stream<HostedObject, E, R> =>
  Stream.flatMap(records, (record) => Stream.fromIterable(namedBy(record)))

/** The same by key: for an object that several uploads share, what each of them has of it. */
export const byKey = <E, R>(
  objects: Stream.Stream<HostedObject, E, R>
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<HostedObject>>, E, R> =>
  Stream.runFold(
    objects,
    () => new Map<string, Array<HostedObject>>(),
    (all, one) => {
      const known = all.get(one.key)
      if (known === undefined) return all.set(one.key, [one])
      known.push(one)
      return all
    }
  )

/** The same, each object once. */
export const distinctObjects = <E, R>(objects: Stream.Stream<HostedObject, E, R>): Stream.Stream<HostedObject, E, R> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return Stream.filter(objects, ({ key }) => !seen.has(key) && seen.add(key) !== undefined)
  })

/** The number of hosted objects and their total size in bytes. */
export const totalOf = <E, R>(objects: Stream.Stream<HostedObject, E, R>) =>
  Stream.runFold(
    distinctObjects(objects),
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
