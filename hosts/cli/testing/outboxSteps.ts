import { DatabaseSync } from "node:sqlite"

/** Whether a statement stores an event that happened, and not one that is passed on to a webhook. */
export const isNewEvent = (sql: string): boolean => /\bINSERT INTO outbox \((?!.*\bwebhook\))/.test(sql)

/**
 * From now on calls `step` in this process before the row of an event is written to SQLite, and before and after the commit
 * of whatever changed the outbox.
 */
export const watchOutbox = (step: (name: string) => void): void => {
  const prepare = DatabaseSync.prototype.prepare
  let isAboutOutbox = false
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest)
    const all = statement.all.bind(statement)
    const [verb = ""] = sql.trim().split(" ", 1)
    const isOfOutbox = ["INSERT", "UPDATE", "DELETE"].includes(verb) && /\boutbox\b/.test(sql)
    statement.all = (...params: ReadonlyArray<never>) => {
      if (isOfOutbox && isNewEvent(sql)) step("before the INSERT of an event")
      const isStep = verb === "COMMIT" && isAboutOutbox
      if (isStep) step("before a COMMIT")
      const rows = all(...params)
      if (isStep) step("after a COMMIT")
      // A claim that finds nothing changes nothing.
      isAboutOutbox = verb !== "COMMIT" && (isAboutOutbox || (isOfOutbox && (verb !== "UPDATE" || rows.length > 0)))
      return rows
    }
    return statement
  }
}
