import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { steps } from "../../../../adapters/postgres/index.ts"
import { fine, wrong } from "../parts/Finding.ts"
import type { Finding } from "../parts/Finding.ts"
import { codeOf } from "../../faults/networkFault.ts"

/** One step of the schema that a database has behind it. */
export interface Done {
  readonly id: number
  readonly name: string
}

const noTable = "42P01"

/** The steps that a database has behind it, in their order; none when Slipway never ran on it. */
export const stepsDone = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Done>, SqlError.SqlError> =>
  sql<Done>`SELECT migration_id AS id, name FROM slipway_migrations ORDER BY migration_id`.pipe(
    Effect.catchIf(
      (error) => codeOf(error) === noTable,
      () => Effect.succeed([])
    )
  )

const written = ({ id, name }: Done): string => `${id} (${name})`

/** Compares the steps that a database has behind it with those of this version. */
export const schemaFinding = (name: string, done: ReadonlyArray<Done>): Finding => {
  const stranger = done.find(({ id, name }) => steps.some((one) => one.id === id && one.name !== name))
  if (stranger !== undefined) {
    return wrong(name, {
      detail: `its step ${written(stranger)} is none of Slipway's`,
      mend: "name a database of Slipway's own"
    })
  }
  const last = done.at(-1)
  if (last === undefined) return fine(name, "no tables yet; the first host that starts makes them")
  const newest = steps.at(-1) ?? last
  if (last.id > newest.id) {
    return wrong(name, {
      detail: `a newer Slipway has brought it to step ${written(last)}; this version knows ${newest.id}`,
      mend: "run that version here too"
    })
  }
  return last.id < newest.id
    ? fine(name, `at step ${written(last)}; the next host that starts brings it to ${written(newest)}`)
    : fine(name, `at step ${written(newest)}, this version's`)
}
