import { Effect, Schema, Stream } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { portableKinds, recordModels, recordsOf, type MetadataRecord } from "../../core/model/MetadataRecord.ts"
import { DuplicateRecord, MetadataSource, MetadataTarget, NotEmpty } from "../../core/ports/MetadataSnapshot.ts"
import { insertAccount } from "./accounts.ts"
import { insertKey, insertSession } from "./apiKeys.ts"
import { recordEntry } from "./auditLog.ts"
import { bill, insertPreview, insertReservation, putBuild } from "./builds.ts"
import type { Entry, Run, Transaction } from "./KeyValueStore.ts"
import { answers, below, partsOf, quotas, retentions, StoredHistory, walk } from "./tables.ts"
import { putRemoval, storeHosted } from "./reservations.ts"
import { putRepository, putTrust } from "./repositories.ts"
import { insertLink } from "./shareLinks.ts"
import { putCiRun, putHistory } from "./testHistories.ts"
import { insertRun } from "./testRuns.ts"

const kinds = Object.keys(recordModels)

const tableOf = (kind: string): string => (kind === "billedTestRun" ? "billed" : kind)

const rangeOf = (kind: string) => ({ ...below(tableOf(kind)), reverse: false })

// Stored values aren't checked again, because the limits may have changed since they were stored.
const decode = Schema.decodeUnknownSync(recordsOf({ ...recordModels, testHistory: StoredHistory }), {
  disableChecks: true
})

const recordOf = ({ entry, kind }: { readonly entry: Entry; readonly kind: string }): MetadataRecord => {
  if (kind !== "billedTestRun") return decode({ kind, value: JSON.parse(entry.value) })
  const [, accountId, , previewId] = partsOf(entry.key)
  return decode({ kind, value: { accountId, previewId, billedAt: entry.value } })
}

const portable: ReadonlySet<string> = new Set(portableKinds)

const isOf =
  (account: AccountId) =>
  ({ kind, value }: MetadataRecord): boolean =>
    portable.has(kind) && ("accountId" in value ? value.accountId : "id" in value && value.id) === account

/** Reads everything in one transaction into memory, so that no transaction is open while it is used. */
export const metadataSource = (run: Run) => {
  const everything = run(async (tx) => {
    const found: Array<{ readonly entry: Entry; readonly kind: string }> = []
    for (const kind of kinds) for await (const entry of walk(tx, rangeOf(kind))) found.push({ kind, entry })
    return found
  })
  const records = Effect.map(everything, (found) => Stream.map(Stream.fromIterable(found), recordOf))
  return MetadataSource.of({
    snapshot: (use) => Effect.flatMap(records, use),
    snapshotOf: (account, use) => Effect.flatMap(records, (all) => use(Stream.filter(all, isOf(account))))
  })
}

const insert = (tx: Transaction, record: MetadataRecord): Promise<void> => {
  switch (record.kind) {
    case "account":
      return insertAccount(tx, record.value)
    case "key":
      return insertKey(tx, record.value)
    case "repository":
      return putRepository(tx, record.value)
    case "build":
      return putBuild(tx, record.value)
    case "reservation":
      return insertReservation(tx, record.value)
    case "preview":
      return insertPreview(tx, record.value)
    case "billedTestRun":
      return bill(tx, record.value.accountId, record.value.billedAt, record.value.previewId)
    case "hostedObject":
      return storeHosted(tx, [record.value])
    case "run":
      return insertRun(tx, record.value)
    case "testHistory":
      return putHistory(tx, record.value)
    case "ciRun":
      return putCiRun(tx, record.value)
    case "answer":
      return answers.put(tx, record.value, record.value.accountId, record.value.keyHash)
    case "shareLink":
      return insertLink(tx, record.value)
    case "trust":
      return putTrust(tx, record.value)
    case "session":
      return insertSession(tx, record.value)
    case "auditEntry":
      return recordEntry(tx, record.value)
    case "removal":
      return putRemoval(tx, record.value)
    case "retention":
      return retentions.put(tx, record.value, record.value.accountId)
    case "quotas":
      return quotas.put(tx, record.value, record.value.accountId)
  }
}

const isEmpty = async (tx: Transaction): Promise<boolean> => {
  for (const kind of kinds) if ((await tx.list({ ...rangeOf(kind), limit: 1 })).length > 0) return false
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
      if (key.startsWith(`${tableOf(record.kind)}/`)) {
        if (seen.has(key)) duplicate = new DuplicateRecord({ kind: record.kind, key })
        seen.add(key)
      }
      return tx.set(key, value)
    }
    await insert(
      { get: (key) => tx.get(key), list: (range) => tx.list(range), remove: (key) => tx.remove(key), set },
      record
    )
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
