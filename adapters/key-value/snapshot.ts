import { Effect, Stream } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { portableKinds, recordKinds, type MetadataRecord, type RecordKind } from "../../core/model/MetadataRecord.ts"
import { DuplicateRecord, MetadataSource, MetadataTarget, NotEmpty } from "../../core/ports/MetadataSnapshot.ts"
import type { Entry, Run, Transaction } from "./KeyValueStore.ts"
import { accessOf, accountOfRecord } from "./records.ts"
import { below, walk } from "./tables.ts"

const rangeOf = (kind: RecordKind) => ({ ...below(accessOf(kind).table), reverse: false })

const recordOf = ({ entry, kind }: { readonly entry: Entry; readonly kind: RecordKind }) =>
  ({ kind, value: accessOf(kind).decode(entry) }) as MetadataRecord

const portable: ReadonlySet<RecordKind> = new Set(portableKinds)

const isOf =
  (account: AccountId) =>
  ({ kind, value }: MetadataRecord): boolean =>
    portable.has(kind) && accountOfRecord(kind, value) === account

/** Reads everything in one transaction into memory, so that no transaction is open while it is used. */
export const metadataSource = (run: Run) => {
  const everything = run(async (tx) => {
    const found: Array<{ readonly entry: Entry; readonly kind: RecordKind }> = []
    for (const kind of recordKinds) for await (const entry of walk(tx, rangeOf(kind))) found.push({ kind, entry })
    return found
  })
  const records = Effect.map(everything, (found) => Stream.map(Stream.fromIterable(found), recordOf))
  return MetadataSource.of({
    snapshot: (use) => Effect.flatMap(records, use),
    snapshotOf: (account, use) => Effect.flatMap(records, (all) => use(Stream.filter(all, isOf(account))))
  })
}

const insert = ({ kind, value }: MetadataRecord, tx: Transaction): Promise<void> => {
  const access: { put(tx: Transaction, value: unknown): Promise<void> } = accessOf(kind)
  return access.put(tx, value)
}

const isEmpty = async (tx: Transaction): Promise<boolean> => {
  for (const kind of recordKinds) if ((await tx.list({ ...rangeOf(kind), limit: 1 })).length > 0) return false
  return true
}

/** Inserts the records until one occurs twice, which it answers. */
const insertAll = async (
  tx: Transaction,
  records: ReadonlyArray<MetadataRecord>
): Promise<DuplicateRecord | undefined> => {
  const seen = new Set<string>()
  for (const record of records) {
    let duplicate: DuplicateRecord | undefined
    const set: Transaction["set"] = (key, value) => {
      if (key.startsWith(`${accessOf(record.kind).table}/`)) {
        if (seen.has(key)) duplicate = new DuplicateRecord({ kind: record.kind, key })
        seen.add(key)
      }
      return tx.set(key, value)
    }
    await insert(record, {
      get: (key) => tx.get(key),
      list: (range) => tx.list(range),
      remove: (key) => tx.remove(key),
      set
    })
    if (duplicate !== undefined) return duplicate
  }
  return undefined
}

/** Stores everything in one transaction, after all of it was read. */
export const metadataTarget = (run: Run) => {
  const assertEmpty = Effect.flatMap(run(isEmpty), (isTrue) => (isTrue ? Effect.void : Effect.fail(new NotEmpty())))
  return MetadataTarget.of({
    assertEmpty,
    fill: Effect.fnUntraced(function* (stream) {
      const records = yield* Stream.runCollect(stream)
      const insertion = Effect.flatMap(
        run((tx) => insertAll(tx, records)),
        (duplicate) => duplicate ?? Effect.void
      )
      yield* run.together(Effect.andThen(assertEmpty, insertion), () => Promise.resolve())
    })
  })
}
