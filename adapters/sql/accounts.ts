import { kindAndIdOf, type Resource } from "../../core/model/Resource.ts"
import { DateTime, Effect, Option, Schema } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"
import { decodeFirst, decodeRows, digest } from "./values.ts"
import type { Engine } from "./Engine.ts"
import { AccountId, RetentionRules } from "../../core/model/Account.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { RateStore } from "../../core/ports/RateStore.ts"

const tables = {
  build: { table: "builds", key: "id" },
  preview: { table: "previews", key: "share_id" },
  run: { table: "test_runs", key: "id" }
} as const

/** The table of a resource, the column of its id, and the id. */
const rowOf = (resource: Resource) => {
  const [kind, id] = kindAndIdOf(resource)
  return { ...tables[kind], id }
}

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

const encodeRules = jsonEncoder(RetentionRules)

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
