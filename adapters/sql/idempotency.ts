import { DateTime, Effect, Option } from "effect"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst } from "./decodeRows.ts"

export const idempotencyStore = ({ columns, entities, orUnavailable, sql }: Engine) => {
  const answer = sql.literal(columns("answer", "idempotency_keys"))
  const one = decodeFirst({ answer: entities.answer })

  return IdempotencyStore.of({
    find: (account, keyHash, now) =>
      sql`
        SELECT ${answer} FROM idempotency_keys
        WHERE account_id = ${account} AND key_hash = ${keyHash} AND expires_at > ${DateTime.toDateUtc(now)}
      `.pipe(Effect.flatMap(one), Effect.map(Option.map((row) => row.answer)), orUnavailable)
  })
}
