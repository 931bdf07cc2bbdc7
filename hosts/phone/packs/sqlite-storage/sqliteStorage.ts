import { unavailable } from "../../modules/absent.ts"
import type { Pack } from "../../modules/Pack.ts"
import type { AppFunction } from "../../runtime/decode.ts"

/** react-native-sqlite-storage: opening a database fails, as on a full disk. */
export const sqliteStorage: Pack = {
  partial: ({ calls, notes }) => {
    const fail =
      (method: string) =>
      (_options: unknown, _done: unknown, failed: AppFunction): void => {
        notes.missing("method", `SQLite.${method}`)
        // The library resolves a database that isn't refused at once.
        calls.call(failed, { message: unavailable("SQLite").message })
      }
    const methods = ["open", "close", "attach", "delete", "backgroundExecuteSqlBatch", "echoStringValue"]
    return { SQLite: Object.fromEntries(methods.map((method) => [method, fail(method)])) }
  }
}
