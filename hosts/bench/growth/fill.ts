import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerClient } from "../../../adapters/postgres/index.ts"

/** `count` copies of the oldest row of a table, each a second older than the one before it. */
const copies = (table: string, count: number, own: string): string => `
  INSERT INTO ${table} SELECT copy.*
  FROM ${table} first, generate_series(1, ${count}) n, jsonb_populate_record(first, jsonb_build_object(
      'id', first.id || '-' || n, 'created_at', first.created_at - n * interval '1 second', ${own}
    )) copy
  WHERE first.id = (SELECT id FROM ${table} ORDER BY created_at, id LIMIT 1)`

/** Fills a host's database with so many older builds and test runs of the repository that is measured. */
export const fillDatabase = (url: string, count: number): Promise<void> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statements = [
      "SET LOCAL statement_timeout = 0",
      // Without what the database counts by itself for each row, of which a million in one commit take hours.
      "SET LOCAL session_replication_role = replica",
      copies("test_runs", count, "'name', 'run ' || n % 1000"),
      // Their reservations ended long ago, as those of all builds but the newest.
      copies(
        "builds",
        count,
        `'commit_sha', lpad(to_hex(n), 40, '0'), 'reserved_until', first.created_at - n * interval '1 second',
          'ready_by', left(first.ready_by, 14) || lpad(to_hex(n), 8, '0')`
      ),
      "ANALYZE test_runs",
      "ANALYZE builds"
    ]
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true }).pipe(
      sql.withTransaction
    )
  }).pipe(Effect.provide(layerClient({ url: Redacted.make(url) })), Effect.runPromise)
