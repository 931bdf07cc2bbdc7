import { Effect, Stream } from "effect"
import type { DeclaredObject } from "../../../core/model/Artifact.ts"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import { previewObjects } from "../../../core/rules/previews.ts"
import { declaredObjects } from "../../../core/rules/reservations.ts"

/** An object that the metadata names. */
export interface HostedObject extends Pick<DeclaredObject, "sizeBytes" | "contentType" | "contentHash"> {
  readonly key: string
}

const below = (prefix: string | undefined, objects: () => ReadonlyArray<DeclaredObject>): ReadonlyArray<HostedObject> =>
  prefix === undefined ? [] : objects().map(({ name, ...object }) => ({ ...object, key: prefix + name }))

const namedBy = (record: MetadataRecord): ReadonlyArray<HostedObject> => {
  if (record.kind === "reservation") {
    return below(record.value.hostedPrefix, () => declaredObjects(record.value.declaration))
  }
  return record.kind === "preview"
    ? below(record.value.hostedPrefix, () => previewObjects(record.value.declaration))
    : []
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
