import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { Conflict } from "../../core/ports/Conflict.ts"

/** Runs a statement that returns what it wrote, and fails with `Conflict` if it wrote nothing because the state has changed. */
export const orConflict = (statement: Statement.Statement<object>) =>
  Effect.filterOrFail(
    statement,
    (rows) => rows.length > 0,
    () => new Conflict()
  )
