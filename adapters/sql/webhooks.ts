import { DateTime, Effect, Option, Schema } from "effect"
import { Webhook } from "../../core/model/Webhook.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

const encodeTypes = Schema.encodeSync(Schema.fromJsonString(Webhook.fields.types))

export const webhookStore = ({ columns, entities, orUnavailable, orWriteFailure, sql }: Engine) => {
  const { attempt, webhook } = entities
  const webhookColumns = sql.literal(columns("webhook", "webhooks"))
  const first = decodeFirst({ webhook })
  const all = decodeRows({ webhook })
  const logged = decodeRows({ attempt })

  return WebhookStore.of({
    insert: ({ accountId, createdAt, id, secret, types, url }) =>
      sql`
        INSERT INTO webhooks (id, url, secret, account_id, types, created_at)
        VALUES (${id}, ${url}, ${secret}, ${accountId ?? null}, ${encodeTypes(types)}, ${DateTime.toDateUtc(createdAt)})
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
        ORDER BY at DESC, place DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(logged),
        Effect.map((rows) => rows.map((row) => row.attempt)),
        orUnavailable
      ),
    forgetAttempts: ({ before, keep }) =>
      sql`
        DELETE FROM delivery_attempts
        WHERE at < ${DateTime.toDateUtc(before)}
          OR at < (SELECT at FROM delivery_attempts ORDER BY at DESC, place DESC LIMIT 1 OFFSET ${keep - 1})
      `.pipe(Effect.asVoid, orWriteFailure)
  })
}
