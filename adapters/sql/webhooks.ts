import { DateTime, Effect, Option, Schema } from "effect"
import { Webhook } from "../../core/model/Webhook.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"
import { orNull } from "./orNull.ts"
import { postIfAny } from "./outbox.ts"

const encodeTypes = Schema.encodeSync(Schema.fromJsonString(Webhook.fields.types))

export const webhookStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { attempt, webhook } = entities
  const webhookColumns = sql.literal(columns("webhook", "webhooks"))
  const first = decodeFirst({ webhook })
  const all = decodeRows({ webhook })
  const logged = decodeRows({ attempt })

  return WebhookStore.of({
    insert: ({ accountId, createdAt, disabledAt, failingSince, id, secret, types, url }) =>
      sql`
        INSERT INTO webhooks (id, url, secret, account_id, types, created_at, failing_since, disabled_at)
        VALUES (
          ${id}, ${url}, ${secret}, ${accountId ?? null}, ${encodeTypes(types)}, ${DateTime.toDateUtc(createdAt)},
          ${orNull(failingSince)}, ${orNull(disabledAt)}
        )
      `.pipe(Effect.asVoid, orWriteFailure),
    find: (id) =>
      sql`SELECT ${webhookColumns} FROM webhooks WHERE id = ${id}`.pipe(
        Effect.flatMap(first),
        Effect.map(Option.map((row) => row.webhook)),
        orUnavailable
      ),
    list: sql`SELECT ${webhookColumns} FROM webhooks ORDER BY id`.pipe(
      Effect.flatMap(all),
      Effect.map((rows) => rows.map((row) => row.webhook)),
      orUnavailable
    ),
    changeState: ({ event, state, webhook }) =>
      sql`
        UPDATE webhooks SET failing_since = ${orNull(state.failingSince)}, disabled_at = ${orNull(state.disabledAt)}
        WHERE id = ${webhook.id} AND ${sql.and([
          webhook.failingSince === undefined
            ? sql`failing_since IS NULL`
            : sql`failing_since = ${DateTime.toDateUtc(webhook.failingSince)}`,
          webhook.disabledAt === undefined
            ? sql`disabled_at IS NULL`
            : sql`disabled_at = ${DateTime.toDateUtc(webhook.disabledAt)}`
        ])}
        RETURNING id
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.tap((isChanged) => postIfAny(engine, isChanged ? event : undefined)),
        inTransaction,
        orWriteFailure
      ),
    remove: (id) =>
      sql`DELETE FROM webhooks WHERE id = ${id} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        orWriteFailure
      ),
    log: ({ answer, at, attempt, event, status, type, webhook }) =>
      sql`
        INSERT INTO delivery_attempts (at, webhook, event, type, attempt, status, answer)
        VALUES (${DateTime.toDateUtc(at)}, ${webhook}, ${event}, ${type}, ${attempt}, ${status}, ${answer})
      `.pipe(Effect.asVoid, orWriteFailure),
    attempts: ({ limit, webhook }) =>
      sql`
        SELECT ${sql.literal(columns("attempt", "delivery_attempts"))} FROM delivery_attempts
        ${webhook === undefined ? sql.literal("") : sql`WHERE webhook = ${webhook}`}
        ORDER BY at DESC, position DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(logged),
        Effect.map((rows) => rows.map((row) => row.attempt)),
        orUnavailable
      ),
    expireAttempts: ({ before, keep }) =>
      sql`
        DELETE FROM delivery_attempts
        WHERE at < ${DateTime.toDateUtc(before)}
          OR at < (SELECT at FROM delivery_attempts ORDER BY at DESC, position DESC LIMIT 1 OFFSET ${keep - 1})
      `.pipe(Effect.asVoid, orWriteFailure)
  })
}
