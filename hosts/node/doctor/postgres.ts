import { Data, Effect, Result, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { steps } from "../../../adapters/postgres/migrations.ts"
import { codeOf, type Fault, unusable } from "../engines/engines.ts"
import { postgresFault, reachPostgres } from "../engines/postgres.ts"
import { databaseAddress, type DatabaseAddress, type DatabaseSettings } from "../settings/engineSettings.ts"
import {
  type Checked,
  type Done,
  type Finding,
  fine,
  isCurrent,
  schemaFinding,
  usedWhenNewer,
  wrong
} from "./findings.ts"

const denied = "42501"
const readOnly = "25006"

/** A statement, the privilege it needs (by GRANT's name), and the object the privilege is on. */
interface Use {
  readonly right: string
  readonly on: string
  readonly statement: string
}

/** The statements a host runs on a table, tried without matching any row: the server checks the privilege anyway. */
const usesOf = (table: string, column: string): ReadonlyArray<Use> => [
  { right: "SELECT", on: table, statement: `SELECT 1 FROM ${table} WHERE false` },
  { right: "INSERT", on: table, statement: `INSERT INTO ${table} (${column}) SELECT NULL WHERE false` },
  { right: "UPDATE", on: table, statement: `UPDATE ${table} SET ${column} = NULL WHERE false` },
  { right: "DELETE", on: table, statement: `DELETE FROM ${table} WHERE false` }
]

/** The privileges that the pending migrations need. */
const making: Use = { right: "CREATE", on: "the schema", statement: "CREATE TABLE slipway_doctor (id text)" }

const usesOfSteps = (done: ReadonlyArray<Done>): ReadonlyArray<Use> => {
  const uses = steps
    .filter(({ id }) => done.some((one) => one.id === id))
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => {
      const [, table, column] = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(\s*(\w+)/.exec(statement) ?? []
      return table === undefined || column === undefined ? [] : usesOf(table, column)
    })
  return isCurrent(done, steps) ? uses : [making, ...uses]
}

/** The transaction succeeded and has to be rolled back. */
class Undone extends Data.TaggedError("Undone") {}

/**
 * Runs a statement in a transaction that is always rolled back, and returns the server's error. Waits only briefly for
 * locks.
 */
const attempt = (sql: SqlClient.SqlClient, { statement }: Use) =>
  Effect.gen(function* () {
    yield* sql`SET LOCAL lock_timeout = '3s'`
    yield* sql.unsafe(statement).unprepared
    return yield* new Undone()
  }).pipe(sql.withTransaction, Effect.flip)

const readOnlyFault = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { server, user }: DatabaseAddress) {
  const [row] = yield* sql<{ readonly replica: boolean }>`SELECT pg_is_in_recovery() AS replica`
  return row?.replica === true
    ? { detail: `${server} is a replica: it is read-only`, hint: "point DATABASE_URL at the primary" }
    : {
        detail: `the transactions of the user ${user} can only read`,
        hint: `ALTER ROLE "${user}" RESET default_transaction_read_only, or name another user in DATABASE_URL`
      }
})

/** The statements tried on tables, by the privilege they need. */
const byRight = (uses: ReadonlyArray<Use>): ReadonlyMap<string, ReadonlyArray<Use>> =>
  Map.groupBy(
    uses.filter((use) => use !== making),
    ({ right }) => right
  )

const deniedFault = ({ user }: DatabaseAddress, uses: ReadonlyArray<Use>, denied: ReadonlyArray<Use>): Fault => {
  const [tried, missing] = [byRight(uses), Array.from(byRight(denied))]
  const everywhere = missing.filter(([right, on]) => on.length === tried.get(right)?.length).map(([right]) => right)
  const what = [
    ...(denied.includes(making) ? ["CREATE in the schema"] : []),
    ...(everywhere.length > 0 ? [`${everywhere.join(", ")} on every table`] : []),
    ...missing
      .filter(([right]) => !everywhere.includes(right))
      .map(([right, some]) => `${right} on ${some.map(({ on }) => on).join(", ")}`)
  ]
  const grants = [
    ...(denied.includes(making) ? ["CREATE ON SCHEMA public"] : []),
    ...(missing.length > 0 ? ["SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"] : [])
  ]
  return {
    detail: `the user ${user} may not ${what.join("; ")}`,
    hint: `as their owner, ${grants.map((grant) => `GRANT ${grant} TO "${user}"`).join("; ")}`
  }
}

/** Tries every privilege that a host needs, on the tables that exist already. Leaves nothing behind. */
export const permissionsFinding = Effect.fnUntraced(function* (
  name: string,
  sql: SqlClient.SqlClient,
  place: DatabaseAddress,
  done: ReadonlyArray<Done>
): Effect.fn.Return<Finding> {
  const uses = usesOfSteps(done)
  const refused: Array<Use> = []
  for (const use of uses) {
    const said = yield* attempt(sql, use)
    if (said._tag === "Undone") continue
    const code = codeOf(said)
    if (code === readOnly) {
      return wrong(
        name,
        yield* Effect.catch(readOnlyFault(sql, place), (error) => Effect.succeed(postgresFault(error, place)))
      )
    }
    if (code !== denied) return wrong(name, postgresFault(said, place))
    refused.push(use)
  }
  return refused.length === 0
    ? fine(name, `the user ${place.user} may do all that a host does`)
    : wrong(name, deniedFault(place, uses, refused))
})

const noTable = "42P01"

/** The migrations a database has run, in order; none if Slipway never ran on it. */
const stepsDone = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Done>, SqlError.SqlError> =>
  sql<Done>`SELECT migration_id AS id, name FROM slipway_migrations ORDER BY migration_id`.pipe(
    Effect.catchIf(
      (error) => codeOf(error) === noTable,
      () => Effect.succeed([])
    )
  )

/** Checks the PostgreSQL at a URL: whether it can be reached, its schema, and the user's privileges. */
export const checkPostgres = Effect.fnUntraced(function* ({
  url
}: DatabaseSettings): Effect.fn.Return<Checked, never, Scope.Scope> {
  const place = databaseAddress(url)
  const reached = yield* Effect.result(reachPostgres(url))
  if (Result.isFailure(reached)) return { findings: [wrong("PostgreSQL", reached.failure)] }
  const { aheadMillis, roundTripMillis, sql, version } = reached.success

  const { database, server, user } = place
  const trip = `${roundTripMillis.toFixed(1)} ms a round trip`
  const there = fine("PostgreSQL", `${version} at ${server}, database ${database}, user ${user}; ${trip}`)
  const done = yield* Effect.result(stepsDone(sql))
  const rest = Result.isFailure(done)
    ? [wrong("PostgreSQL schema", postgresFault(done.failure, place))]
    : [
        schemaFinding("PostgreSQL schema", done.success, steps, usedWhenNewer),
        yield* permissionsFinding("PostgreSQL permissions", sql, place, done.success)
      ]
  return {
    findings: [there, ...rest],
    clock: { of: "PostgreSQL", aheadMillis, exactToMillis: roundTripMillis },
    isCurrent: Result.isSuccess(done) && isCurrent(done.success, steps)
  }
}, Effect.scoped)

/** Refuses a PostgreSQL that lacks steps of this version, so that a command that only administers changes no schema. */
export const refuseUnmigrated = Effect.fnUntraced(function* ({ url }: DatabaseSettings) {
  const refuse = unusable("DATABASE_URL")
  const { sql } = yield* Effect.mapError(reachPostgres(url), refuse)
  const done = yield* Effect.result(stepsDone(sql))
  if (Result.isFailure(done)) return yield* refuse(postgresFault(done.failure, databaseAddress(url)))
  const missing = steps.find(({ id }) => !done.success.some((one) => one.id === id))
  if (missing === undefined) return
  return yield* done.success.length === 0
    ? refuse({
        detail: "the database has no tables of Slipway yet",
        hint: "`slipway serve` or `slipway account create` makes them"
      })
    : refuse({
        detail: `the database lacks the step ${missing.id} (${missing.name}) of this version`,
        hint: "start a host of this version, which migrates it"
      })
}, Effect.scoped)
