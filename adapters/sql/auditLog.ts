import { DateTime, Effect } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import type { SqlClient, Statement } from "effect/sql"
import { AuditActor, type AuditEntry } from "../../core/model/AuditEntry.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { decodeRows } from "./values.ts"
import type { Engine } from "./Engine.ts"

const encodeActor = jsonEncoder(AuditActor)

const columns = "id, account_id, at, action, subject, detail, actor, address, repository_id"
const valuesOf = (
  sql: SqlClient.SqlClient,
  { accountId, action, actor, address, at, detail, id, repositoryId, subject }: AuditEntry
): Statement.Fragment => sql`
  ${id}, ${accountId ?? null}, ${DateTime.toDateUtc(at)}, ${action}, ${subject}, ${detail ?? null},
  ${encodeActor(actor)}, ${address ?? null}, ${repositoryId ?? null}
`

/** Stores an entry, if there is one, in the transaction that is under way. */
export const recordIfAny = ({ sql }: Pick<Engine, "sql">, entry: AuditEntry | undefined) =>
  entry === undefined
    ? Effect.void
    : Effect.asVoid(sql`INSERT INTO audit_entries (${sql.literal(columns)}) VALUES (${valuesOf(sql, entry)})`)

/**
 * A further part of a statement that begins `WITH stored AS (…)`: stores an entry for each row of `stored`, so for the
 * only one or for none.
 */
export const recording = (sql: SqlClient.SqlClient, entry: AuditEntry | undefined): Statement.Fragment =>
  entry === undefined
    ? sql.literal("")
    : sql`, recorded AS (
        INSERT INTO audit_entries (${sql.literal(columns)}) SELECT ${valuesOf(sql, entry)} FROM stored
      )`

export const auditLog = (engine: Engine) => {
  const { amongLocked, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const listed = sql.literal(engine.columns("auditEntry", "audit_entries"))
  const all = decodeRows({ auditEntry: entities.auditEntry })

  return AuditLog.of({
    record: (change, entryOf) =>
      change.pipe(
        Effect.tap((answer) => recordIfAny(engine, entryOf(answer))),
        inTransaction,
        orWriteFailure
      ),
    list: ({ account, before, limit }) =>
      sql`
        SELECT ${listed} FROM audit_entries
        WHERE ${sql.and([sql`id < ${before ?? "~"}`, ...(account === undefined ? [] : [sql`account_id = ${account}`])])}
        ORDER BY id DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(all),
        Effect.map((rows) => rows.map((row) => row.auditEntry)),
        orUnavailable
      ),
    expire: ({ before, limit }) =>
      sql`
        DELETE FROM audit_entries
        WHERE ${amongLocked(
          "id",
          sql`SELECT id FROM audit_entries WHERE at < ${DateTime.toDateUtc(before)} ORDER BY at LIMIT ${limit}`
        )}
        RETURNING id
      `.pipe(
        Effect.map((rows) => rows.length),
        orWriteFailure
      )
  })
}
