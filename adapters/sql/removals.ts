import { DateTime, Effect } from "effect"
import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import { byCodeUnit } from "./byCodeUnit.ts"
import { decodeRows } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"
import { sharedAmong } from "./hostedObjects.ts"

export const removalStore = (engine: Engine) => {
  const { amongLocked, columns, entities, orUnavailable, orWriteFailure, redoable, sql } = engine
  const removal = sql.literal(columns("removal", "removals"))
  const rows = decodeRows({ removal: entities.removal })
  const all = (found: ReadonlyArray<object>) => Effect.map(rows(found), (some) => some.map(({ removal }) => removal))

  return RemovalStore.of({
    claim: ({ limit, now, until }) =>
      sql`
        UPDATE removals SET due_at = ${DateTime.toDateUtc(until)}
        WHERE ${amongLocked(
          "id",
          sql`SELECT id FROM removals WHERE due_at <= ${DateTime.toDateUtc(now)} ORDER BY due_at, id LIMIT ${limit}`
        )}
        RETURNING ${removal}
      `.pipe(
        Effect.flatMap(all),
        Effect.map((taken) => taken.toSorted((a, b) => byCodeUnit(a.id, b.id))),
        orWriteFailure,
        redoable
      ),
    postpone: (ids, dueAt) =>
      ids.length === 0
        ? Effect.void
        : sql`UPDATE removals SET due_at = ${DateTime.toDateUtc(dueAt)} WHERE ${sql.in("id", ids)}`.pipe(
            Effect.asVoid,
            orWriteFailure,
            redoable
          ),
    complete: (ids) =>
      ids.length === 0
        ? Effect.void
        : sql`DELETE FROM removals WHERE ${sql.in("id", ids)}`.pipe(Effect.asVoid, orWriteFailure, redoable),
    findShared: (keys) =>
      keys.length === 0
        ? Effect.succeed([])
        : sharedAmong(engine, keys).pipe(
            Effect.map((rows) => rows.map((row) => row.object_key)),
            orUnavailable
          ),
    list: ({ after, limit }) =>
      sql`SELECT ${removal} FROM removals WHERE id > ${after ?? ""} ORDER BY id LIMIT ${limit}`.pipe(
        Effect.flatMap(all),
        orUnavailable
      )
  })
}
