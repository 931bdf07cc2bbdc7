import { DatabaseSync } from "node:sqlite"
import type { Entry, KeyValueStore, Transaction } from "slipway/adapters/key-value"

export const openTable = (file: string): KeyValueStore & { readonly close: () => void } => {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  db.exec("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID")
  const get = db.prepare("SELECT value FROM entries WHERE key = ?")
  const set = db.prepare("INSERT OR REPLACE INTO entries VALUES (?, ?)")
  const remove = db.prepare("DELETE FROM entries WHERE key = ?")
  const first = db.prepare("SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?")
  const last = db.prepare("SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?")
  const asEntry = (row: Record<string, unknown>): Entry => ({ key: String(row.key), value: String(row.value) })
  const transaction: Transaction = {
    get: async (key) => get.get(key)?.value?.toString(),
    set: async (key, value) => void set.run(key, value),
    remove: async (key) => void remove.run(key),
    list: async ({ from, limit, reverse, to }) => (reverse ? last : first).all(from, to, limit).map(asEntry)
  }
  // Transactions run one after the other, so they are serializable.
  let before: Promise<unknown> = Promise.resolve()
  return {
    transaction: (use) => {
      const result = before.then(async () => {
        db.exec("BEGIN IMMEDIATE")
        try {
          const value = await use(transaction)
          db.exec("COMMIT")
          return value
        } catch (error) {
          db.exec("ROLLBACK")
          throw error
        }
      })
      before = result.catch(() => undefined)
      return result
    },
    close: () => db.close()
  }
}
