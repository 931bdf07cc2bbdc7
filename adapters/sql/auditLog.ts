import { DateTime, Effect, Schema } from "effect"
import { AuditActor, type AuditEntry } from "../../core/model/AuditEntry.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { decodeRows } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"

const encodeActor = Schema.encodeSync(Schema.fromJsonString(AuditActor))

export const auditLog = ({
  amongLocked,
  columns,
  entities,
  inTransaction,
  orUnavailable,
  orWriteFailure,
  sql
}: Engine) => {
  const listed = sql.literal(columns("auditEntry", "audit_entries"))
  const all = decodeRows({ auditEntry: entities.auditEntry })

  const insert = ({ accountId, action, actor, address, at, detail, id, subject }: AuditEntry) => sql`
    INSERT INTO audit_entries (id, account_id, at, action, subject, detail, actor, address)
    VALUES (
      ${id}, ${accountId ?? null}, ${DateTime.toDateUtc(at)}, ${action}, ${subject}, ${detail ?? null},
      ${encodeActor(actor)}, ${address ?? null}
    )
  `

  return AuditLog.of({
    record: (change, entryOf) =>
      change.pipe(
        Effect.tap((answer) => {
          const entry = entryOf(answer)
          return entry === undefined ? Effect.void : Effect.asVoid(insert(entry))
        }),
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
    forget: ({ before, limit }) =>
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
