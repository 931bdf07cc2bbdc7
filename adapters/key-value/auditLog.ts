import type { AuditEntry } from "../../core/model/AuditEntry.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import { auditEntries, below, keyOf, take, timeKey, walk } from "./tables.ts"

/** Stores an entry, if there is one, in the transaction of the change that it records. */
export const recordEntry = async (tx: Transaction, entry: AuditEntry | undefined): Promise<void> => {
  if (entry === undefined) return
  await auditEntries.put(tx, entry, entry.id)
  await tx.set(keyOf("auditAll", entry.id), entry.id)
  await tx.set(keyOf("auditAt", timeKey(entry.at), entry.id), entry.id)
  if (entry.accountId !== undefined) await tx.set(keyOf("auditOf", entry.accountId, entry.id), entry.id)
}

/** Removes an entry from every list. */
export const removeEntry = async (tx: Transaction, id: string): Promise<void> => {
  const entry = await auditEntries.find(tx, id)
  if (entry === undefined) return
  await tx.remove(keyOf("auditAt", timeKey(entry.at), id))
  await tx.remove(keyOf("auditAll", id))
  if (entry.accountId !== undefined) await tx.remove(keyOf("auditOf", entry.accountId, id))
  await auditEntries.remove(tx, id)
}

export const auditLog = (run: Run) =>
  AuditLog.of({
    record: (change, entryOf) => run.together(change, (tx, answer) => recordEntry(tx, entryOf(answer))),
    list: ({ account, before, limit }) =>
      run((tx) => {
        const list = account === undefined ? ["auditAll"] : ["auditOf", account]
        const { from, to } = below(...list)
        const bounds = { from, to: before === undefined ? to : keyOf(...list, before) }
        return take(limit, walk(tx, { ...bounds, reverse: true }), ({ value }) => auditEntries.find(tx, value))
      }),
    expire: ({ before, limit }) =>
      run(async (tx) => {
        const old = { from: below("auditAt").from, to: keyOf("auditAt", timeKey(before)), reverse: false }
        const oldEntries = await take(limit, walk(tx, old), async (entry) => entry)
        for (const { value } of oldEntries) await removeEntry(tx, value)
        return oldEntries.length
      })
  })
