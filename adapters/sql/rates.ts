import { Effect, Option, Schema } from "effect"
import { RateStore } from "../../core/ports/RateStore.ts"
import { decodeFirst } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"

const decodeConsumed = decodeFirst({ taken: Schema.Struct({ end: Schema.Finite }) })

export const rateStore = ({ amongLocked, orWriteFailure, sql }: Engine) => {
  /** A number as one of the engine, whatever it is compared with. */
  const number = (value: number) => sql`CAST(${value} AS double precision)`
  return RateStore.of({
    consume: ({ bucket, cost, now, capacity }) => {
      const end = sql`CASE WHEN b.full_at > ${number(now)} THEN b.full_at ELSE ${number(now)} END + ${number(cost)}`
      return sql`
        INSERT INTO rate_buckets AS b (bucket, full_at, last_end)
        VALUES (${bucket}, ${number(now + cost)}, ${number(now + cost)})
        ON CONFLICT (bucket) DO UPDATE SET
          last_end = ${end}, full_at = CASE WHEN ${end} <= ${number(now + capacity)} THEN ${end} ELSE b.full_at END
        RETURNING last_end AS "taken.end"
      `.pipe(
        Effect.flatMap(decodeConsumed),
        Effect.map((row) => Option.getOrThrow(row).taken.end),
        orWriteFailure
      )
    },
    deleteFull: (now, limit) =>
      sql`
        DELETE FROM rate_buckets
        WHERE ${amongLocked(
          "bucket",
          sql`SELECT bucket FROM rate_buckets WHERE full_at <= ${number(now)} ORDER BY full_at LIMIT ${limit}`
        )}
        RETURNING bucket
      `.pipe(
        Effect.map((rows) => rows.length),
        orWriteFailure
      )
  })
}
