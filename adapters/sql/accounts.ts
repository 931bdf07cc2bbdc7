import { DateTime, Effect, Option } from "effect"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { byCodeUnit } from "./byCodeUnit.ts"
import { digest } from "./digest.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"
import { rowOf } from "./resources.ts"

export const accountStore = ({ columns, entities, orUnavailable, orWriteFailure, sql }: Engine) => {
  const account = sql.literal(columns("account", "accounts"))
  const one = decodeFirst({ account: entities.account })
  const all = decodeRows({ account: entities.account })

  return AccountStore.of({
    insert: ({ createdAt, id, name }) =>
      sql`
        INSERT INTO accounts (id, name, name_digest, created_at)
        VALUES (${id}, ${name}, ${digest(name)}, ${DateTime.toDateUtc(createdAt)})
        ON CONFLICT (name_digest) DO NOTHING
        RETURNING id
      `.pipe(
        Effect.filterOrFail(
          (rows) => rows.length > 0,
          () => new NameTaken()
        ),
        Effect.asVoid,
        orWriteFailure
      ),
    findByName: (name) =>
      sql`SELECT ${account} FROM accounts WHERE name_digest = ${digest(name)} AND erasure IS NULL`.pipe(
        Effect.flatMap(one),
        Effect.map(Option.map((row) => row.account)),
        orUnavailable
      ),
    findOwner: (resource) => {
      const { id, key, table } = rowOf(resource)
      return sql`
        SELECT ${account} FROM accounts
        WHERE id = (SELECT account_id FROM ${sql.literal(table)} WHERE ${sql.literal(key)} = ${id}) AND erasure IS NULL
      `.pipe(Effect.flatMap(one), Effect.map(Option.map((row) => row.account)), orUnavailable)
    },
    list: sql`SELECT ${account} FROM accounts WHERE erasure IS NULL`.pipe(
      Effect.flatMap(all),
      Effect.map((rows) => rows.map((row) => row.account).toSorted((a, b) => byCodeUnit(a.name, b.name))),
      orUnavailable
    )
  })
}
