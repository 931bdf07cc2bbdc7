import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { DatabaseSync } from "node:sqlite"

/**
 * From now on calls `step` in this process before each statement that changes rows in SQLite, before and after each commit of
 * such, and before and after each file is removed.
 */
export const watchRemovals = (step: (name: string) => void): void => {
  const prepare = DatabaseSync.prototype.prepare
  let hasChanged = false
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest)
    const all = statement.all.bind(statement)
    const [verb = ""] = sql.trim().split(/\s/u, 1)
    const isChange = ["INSERT", "UPDATE", "DELETE"].includes(verb)
    statement.all = (...params: ReadonlyArray<never>) => {
      if (isChange) step(`before ${sql.trim().split(/\s+/u).slice(0, 3).join(" ")}`)
      const isCommit = verb === "COMMIT" && hasChanged
      if (isCommit) step("before a COMMIT")
      const rows = all(...params)
      if (isCommit) step("after a COMMIT")
      hasChanged = isChange || (hasChanged && verb !== "COMMIT")
      return rows
    }
    return statement
  }

  const { unlink } = fs
  fs.unlink = async (path) => {
    step("before a file is removed")
    await unlink(path)
    step("after a file was removed")
  }
  syncBuiltinESMExports()
}
