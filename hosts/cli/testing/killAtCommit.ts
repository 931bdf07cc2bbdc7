/**
 * For `node --import`: kills the process with SIGKILL before or after one of its commits to SQLite, from the one on that hides an
 * account. `KILL_AT` is `before 1`, `after 1` and so on.
 */
import { DatabaseSync } from "node:sqlite"

const { KILL_AT } = process.env
const { prepare } = DatabaseSync.prototype
let commits = 0
let isErasing = false

const step = (name: string): void => {
  if (name === KILL_AT) process.kill(process.pid, "SIGKILL")
}

DatabaseSync.prototype.prepare = function (sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest)
  const all = statement.all.bind(statement)
  const isCommit = sql.trim().startsWith("COMMIT")
  const begins = /UPDATE accounts SET name = id/.test(sql)
  statement.all = (...params: ReadonlyArray<never>) => {
    isErasing ||= begins
    const isStep = isErasing && isCommit
    if (isStep) step(`before ${++commits}`)
    const rows = all(...params)
    if (isStep) step(`after ${commits}`)
    return rows
  }
  return statement
}
