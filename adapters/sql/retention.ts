import { DateTime, Effect, Option, Schema } from "effect"
import { AccountId } from "../../core/model/Account.ts"
import type { Resource } from "../../core/model/Resource.ts"
import { RetentionRules } from "../../core/model/Retention.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { decodeFirst } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"
import { rowOf } from "./resources.ts"

const encodeRules = Schema.encodeSync(Schema.fromJsonString(RetentionRules))

export const retentionStore = ({
  columns,
  entities,
  inTransaction,
  lockedBy,
  orUnavailable,
  orWriteFailure,
  sql,
  Time
}: Engine) => {
  const one = decodeFirst({ retention: entities.retention })
  const released = decodeFirst({
    released: Schema.Struct({ accountId: AccountId, keptAt: Schema.optionalKey(Time) })
  })
  const kept = decodeFirst({ kept: Schema.Struct({ at: Time, accountId: AccountId }) })

  const found = (resource: Resource, account: AccountId | undefined) => {
    const { id, key, table } = rowOf(resource)
    const is = sql`${sql.literal(key)} = ${id}`
    return { table: sql.literal(table), key, is: account === undefined ? is : sql`${is} AND account_id = ${account}` }
  }

  /** Locks the preview, so that a sweep that expires it runs before or after. */
  const holdPreviewOf = (resource: Resource) =>
    "run" in resource
      ? Effect.asVoid(sql`
          SELECT share_id FROM previews
          WHERE share_id = (SELECT preview_share_id FROM test_runs WHERE id = ${resource.run}) ${lockedBy("share_id")}
        `)
      : Effect.void

  return RetentionStore.of({
    rules: (account) =>
      sql`
        SELECT ${sql.literal(columns("retention", "account_retention"))} FROM account_retention WHERE account_id = ${account}
      `.pipe(Effect.flatMap(one), Effect.map(Option.map((row) => row.retention.rules)), orUnavailable),
    setRules: ({ accountId, rules }) =>
      (Object.keys(rules).length === 0
        ? sql`DELETE FROM account_retention WHERE account_id = ${accountId}`
        : sql`
            INSERT INTO account_retention (account_id, rules) VALUES (${accountId}, ${encodeRules(rules)})
            ON CONFLICT (account_id) DO UPDATE SET rules = excluded.rules
          `
      ).pipe(Effect.asVoid, orWriteFailure),
    keep: (resource, at, account) => {
      const { is, table } = found(resource, account)
      return holdPreviewOf(resource).pipe(
        Effect.andThen(sql`
          UPDATE ${table} SET kept_at = COALESCE(kept_at, ${DateTime.toDateUtc(at)}) WHERE ${is}
          RETURNING kept_at AS "kept.at", account_id AS "kept.accountId"
        `),
        Effect.flatMap(kept),
        Effect.map(Option.map((row) => row.kept)),
        inTransaction,
        orWriteFailure
      )
    },
    release: (resource, account) => {
      const { is, key, table } = found(resource, account)
      return Effect.gen(function* () {
        const resource = Option.map(
          yield* Effect.flatMap(
            sql`
              SELECT account_id AS "released.accountId", kept_at AS "released.keptAt" FROM ${table}
              WHERE ${is} ${lockedBy(key)}
            `,
            released
          ),
          (row) => row.released
        )
        if (Option.getOrUndefined(resource)?.keptAt !== undefined) {
          yield* sql`UPDATE ${table} SET kept_at = NULL WHERE ${is}`
        }
        return resource
      }).pipe(inTransaction, orWriteFailure)
    }
  })
}
