import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { columns, decodeFirst, entities } from "./rows.ts"
import { orUnavailable } from "./unavailable.ts"

export const idempotencyStore = (sql: SqlClient.SqlClient) => {
  const answer = sql.literal(columns("answer", "idempotent_answers"))
  const one = decodeFirst({ answer: entities.answer })

  return IdempotencyStore.of({
    find: (account, keyHash, now) =>
      sql`
        SELECT ${answer} FROM idempotent_answers
        WHERE account_id = ${account} AND key_hash = ${keyHash} AND expires_at > ${DateTime.toDateUtc(now)}
      `.pipe(Effect.flatMap(one), Effect.map(Option.map((row) => row.answer)), orUnavailable)
  })
}
