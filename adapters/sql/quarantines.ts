import { DateTime, Effect, Option, Schema } from "effect"
import { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import type { Engine } from "./Engine.ts"
import { postIfAny } from "./outbox.ts"
import { keyDigest } from "./repositories.ts"
import { rowOf } from "./rows.ts"
import { decodeFirst, decodeRows } from "./values.ts"

export const quarantineStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { quarantine, repository } = entities
  const listed = sql.literal(columns("quarantine", "q"))
  const view = sql.literal(`${columns("repository", "r")}, ${columns("quarantine", "q")}`)
  const removed = sql.literal(columns("quarantine", "quarantines"))
  const first = decodeFirst({ quarantine })
  const all = decodeRows({ quarantine })
  const firstView = decodeFirst({ repository, quarantine })
  const allViews = decodeRows({ repository, quarantine })
  const encode = Schema.encodeSync(quarantine, { disableChecks: true })

  return QuarantineStore.of({
    put: (stored) => {
      const row = rowOf(quarantine, encode(stored))
      const assigned = Object.keys(row).map((column) => `${column} = excluded.${column}`)
      return sql`
        INSERT INTO quarantines ${sql.insert(row)}
        ON CONFLICT (test_id) DO UPDATE SET ${sql.literal(assigned.join(", "))}
      `.pipe(Effect.asVoid, orWriteFailure)
    },
    remove: (account, testId) =>
      sql`DELETE FROM quarantines WHERE test_id = ${testId} AND account_id = ${account} RETURNING ${removed}`.pipe(
        Effect.flatMap(first),
        Effect.map(Option.map((row) => row.quarantine)),
        orWriteFailure
      ),
    find: (account, testId) =>
      sql`
        SELECT ${view} FROM quarantines q JOIN repositories r ON r.id = q.repository_id AND r.linked
        WHERE q.test_id = ${testId} AND q.account_id = ${account}
      `.pipe(Effect.flatMap(firstView), orUnavailable),
    list: ({ account, after, limit, repository: key }) =>
      Effect.gen(function* () {
        const [linked] = yield* sql<{ readonly id: string }>`
          SELECT id FROM repositories WHERE account_id = ${account} AND key_digest = ${keyDigest(key)} AND linked
        `
        if (linked === undefined) return Option.none()
        const behind =
          after === undefined
            ? sql.literal("true")
            : sql`(q.created_at, q.test_id) < (${DateTime.toDateUtc(after.createdAt)}, ${after.testId})`
        const rows = yield* sql`
          SELECT ${listed} FROM quarantines q WHERE q.repository_id = ${linked.id} AND ${behind}
          ORDER BY q.created_at DESC, q.test_id DESC LIMIT ${limit}
        `.pipe(Effect.flatMap(all))
        return Option.some(rows.map((row) => row.quarantine))
      }).pipe(orUnavailable),
    due: ({ limit, until }) =>
      sql`
        SELECT ${view} FROM quarantines q JOIN repositories r ON r.id = q.repository_id
        WHERE q.expired_at IS NULL AND q.expires_at <= ${DateTime.toDateUtc(until)}
        ORDER BY q.expires_at, q.test_id LIMIT ${limit}
      `.pipe(Effect.flatMap(allViews), orUnavailable),
    expire: ({ at, event, quarantine: { expiresAt, testId } }) =>
      sql`
        UPDATE quarantines SET expired_at = ${DateTime.toDateUtc(at)}
        WHERE test_id = ${testId} AND expires_at = ${DateTime.toDateUtc(expiresAt)} AND expired_at IS NULL
        RETURNING test_id
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.tap((isChanged) => postIfAny(engine, isChanged ? event : undefined)),
        inTransaction,
        orWriteFailure
      )
  })
}
