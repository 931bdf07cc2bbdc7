import { Effect, Stream } from "effect"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { portableKinds, type MetadataRecord, type RecordKind } from "../../../core/model/MetadataRecord.ts"
import { MetadataTarget } from "../../../core/ports/MetadataSnapshot.ts"
import { ArchiveUnusable, keyOf, objectsIn, recordsIn, type Trusted, verifyArchive } from "./archive.ts"
import { assertAsUploaded } from "./asUploaded.ts"
import { byKey, countsOf, hostedObjects, totalOf } from "../../node/hostedObjects.ts"
import { inFlight } from "./scope.ts"
import { ObjectMismatch, progressBar, putVerified } from "./transfer.ts"

/** How many objects are stored at once. */
const sideBySide = 8

/** An object of at most this size is read completely from the archive, and stored concurrently with others. */
const takenWhole = 1024 ** 2

const portable: ReadonlySet<RecordKind> = new Set(portableKinds)

/** The records that an account's export never contains, above all those that grant access. */
const assertPortable = (file: string, records: Stream.Stream<MetadataRecord, ArchiveUnusable>) =>
  Stream.runForEach(records, ({ kind }) =>
    portable.has(kind)
      ? Effect.void
      : Effect.fail(
          new ArchiveUnusable({ file, why: `it is the export of an account, and has a record of the kind ${kind}` })
        )
  )

/** What a restore accepts. */
interface Accepted extends Trusted {
  /** The name of the account of which the archive has to be the export; any archive if there is none. */
  readonly account?: string | undefined
}

/**
 * Fills an empty deployment from an archive. The whole archive is checked before anything is stored: that it is the one that
 * was made, and that its objects are those that were uploaded. Objects come first, the metadata last in one transaction, so an interrupted restore leaves a deployment that still counts as
 * empty.
 */
export const restore = Effect.fnUntraced(function* (file: string, accepted: Accepted) {
  const target = yield* MetadataTarget
  const { account, entries, leftOut } = yield* verifyArchive(file, accepted)
  if (accepted.account !== undefined && accepted.account !== account) {
    const what = account === undefined ? "a backup of a whole deployment" : `the export of the account ${account}`
    return yield* new ArchiveUnusable({ file, why: `it is ${what}, and not the export of ${accepted.account}` })
  }
  yield* target.assertEmpty
  const records = recordsIn(file, leftOut)
  if (account !== undefined) yield* assertPortable(file, records)
  yield* assertAsUploaded(file, { entries, leftOut }, yield* byKey(hostedObjects(records)))
  const total = yield* totalOf(hostedObjects(records))
  const restored = yield* progressBar("restore", total.bytes)
  const store = Effect.fnUntraced(function* <E>(name: string, key: string, bytes: Stream.Stream<Uint8Array, E>) {
    const entry = entries.get(name)
    if (entry === undefined) return yield* new ObjectMismatch({ key, why: "isn't in the manifest" })
    const { contentEncoding, contentType = "application/octet-stream", sha256, sizeBytes } = entry
    const digest = yield* putVerified(
      withoutUndefined({ key, sizeBytes, contentType, contentEncoding }),
      Stream.tap(bytes, (chunk) => restored(chunk.byteLength))
    )
    if (digest !== sha256) return yield* new ObjectMismatch({ key, why: "was altered in the archive meanwhile" })
  })
  // An archive can only be read from its beginning to its end, so a large object is stored before anything behind it is read.
  const objects = yield* objectsIn(file, leftOut).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ bytes, key, name }) {
        if ((entries.get(name)?.sizeBytes ?? 0) <= takenWhole) {
          return store(name, key, Stream.fromIterable(yield* Stream.runCollect(bytes)))
        }
        yield* store(name, key, bytes)
        return Effect.void
      })
    ),
    Stream.mapEffect((storing) => Effect.asVoid(storing), { concurrency: sideBySide, unordered: true }),
    Stream.runCount
  )
  yield* target.fill(records)
  return {
    counts: [...(yield* countsOf(records))],
    total,
    objects,
    damaged: [...entries.values()].flatMap(({ damaged, name }) => (damaged === true ? [keyOf(name) ?? name] : [])),
    leftBehind: yield* inFlight(records)
  }
}, Effect.scoped)
