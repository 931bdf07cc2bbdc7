import { AuditLog } from "../../core/ports/AuditLog.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import type { Run } from "./run.ts"
import { auditEntries, take, walk } from "./tables.ts"

export const auditLog = (run: Run) =>
  AuditLog.of({
    record: (change, entryOf) =>
      run.together(change, async (tx, answer) => {
        const entry = entryOf(answer)
        if (entry === undefined) return
        await auditEntries.put(tx, entry, entry.id)
        await tx.set(keyOf("auditAll", entry.id), entry.id)
        await tx.set(keyOf("auditAt", timeKey(entry.at), entry.id), entry.id)
        if (entry.accountId !== undefined) await tx.set(keyOf("auditOf", entry.accountId, entry.id), entry.id)
      }),
    list: ({ account, before, limit }) =>
      run((tx) => {
        const list = account === undefined ? ["auditAll"] : ["auditOf", account]
        const { from, to } = below(...list)
        const bounds = { from, to: before === undefined ? to : keyOf(...list, before) }
        return take(limit, walk(tx, { ...bounds, reverse: true }), ({ value }) => auditEntries.find(tx, value))
      }),
    forget: ({ before, limit }) =>
      run(async (tx) => {
        const old = { from: below("auditAt").from, to: keyOf("auditAt", timeKey(before)), reverse: false }
        const found = await take(limit, walk(tx, old), async (entry) => entry)
        for (const { key, value } of found) {
          const entry = await auditEntries.find(tx, value)
          await tx.remove(key)
          await tx.remove(keyOf("auditAll", value))
          if (entry?.accountId !== undefined) await tx.remove(keyOf("auditOf", entry.accountId, value))
          await auditEntries.remove(tx, value)
        }
        return found.length
      })
  })
