import { Array, DateTime, Effect, Option, Schema, Struct } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import type { SqlClient, Statement } from "effect/sql"
import { SlipwayEvent, Webhook, WebhookId } from "../../core/model/SlipwayEvent.ts"
import { DeliveryId, Outbox, type Claim } from "../../core/ports/Outbox.ts"
import { forWebhook, orderingKey } from "../../core/rules/events.ts"
import type { Engine } from "./Engine.ts"
import { decodeEach, decodeFirst, decodeRows, orNull } from "./values.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"

const encodeEvent = jsonEncoder(SlipwayEvent)

/**
 * An event as a row of the outbox: its columns, and their values. It is due from now on. A row for a webhook has the webhook
 * in its `event_id` and in its `ordering_key`, so that it is another event with another ordering key.
 */
const columns = "event_id, ordering_key, event, due_at, attempts"
const valuesOf = (sql: SqlClient.SqlClient, event: SlipwayEvent, webhook?: WebhookId): Statement.Fragment =>
  sql`
    ${forWebhook(event.id, webhook)}, ${forWebhook(orderingKey(event), webhook)}, ${encodeEvent(event)},
    ${DateTime.toDateUtc(event.timestamp)}, 0
  `

/** Stores an event in the transaction that is under way. */
export const post = ({ sql }: Pick<Engine, "sql">, event: SlipwayEvent) =>
  sql`INSERT INTO outbox (${sql.literal(columns)}) VALUES (${valuesOf(sql, event)})`

/** Stores an event, if there is one, in the transaction that is under way. */
export const postIfAny = (engine: Pick<Engine, "sql">, event: SlipwayEvent | undefined) =>
  event === undefined ? Effect.void : Effect.asVoid(post(engine, event))

/**
 * Further parts of a statement that begins `WITH stored AS (…)`: store events for each row of `stored`, so for the only one or for
 * none.
 */
export const posting = (
  sql: SqlClient.SqlClient,
  ...events: ReadonlyArray<SlipwayEvent | undefined>
): Statement.Fragment =>
  events.reduce<Statement.Fragment>(
    (parts, event, index) =>
      event === undefined
        ? parts
        : sql`${parts}, ${sql.literal(`posted_${index}`)} AS (
            INSERT INTO outbox (${sql.literal(columns)}) SELECT ${valuesOf(sql, event)} FROM stored
          )`,
    sql.literal("")
  )

/** To how many webhooks an event is passed on in one statement. Engines bound the parameters of one. */
const passedOnBatchSize = 100

const delivery = `event_id AS "of.id", webhook AS "of.webhook", event AS "of.event", attempts AS "of.attempts"`

export const outbox = ({ amongLocked, inTransaction, json, orUnavailable, orWriteFailure, sql, Time }: Engine) => {
  const fields = {
    id: DeliveryId,
    webhook: Schema.optionalKey(WebhookId),
    event: json(SlipwayEvent),
    attempts: Schema.Int
  }
  const claimedRows = decodeEach({ of: Schema.Struct({ ...fields, position: Schema.Finite }) })
  const deadRows = decodeRows({ of: Schema.Struct({ ...fields, deadAt: Time, reason: Schema.String }) })
  const of = ({ claim, id }: Claim) => sql`event_id = ${id} AND claim = ${claim}`
  const changed = (statement: Statement.Statement<object>) =>
    statement.pipe(
      Effect.map((rows) => rows.length > 0),
      orWriteFailure
    )

  const none = sql.literal("")

  /**
   * The positions of the events that are due first among some, without those that wait for an earlier one with their ordering key. The minimum
   * is looked up for each; `NOT EXISTS` could be planned as a join with the whole table.
   */
  const firstDue = (among: Statement.Fragment, now: DateTime.Utc, limit: number) => sql`
    SELECT position FROM outbox due
    WHERE ${among} AND dead_at IS NULL AND due_at <= ${DateTime.toDateUtc(now)}
      AND position = (SELECT MIN(position) FROM outbox first WHERE first.ordering_key = due.ordering_key AND first.dead_at IS NULL)
    ORDER BY due_at, position LIMIT ${limit}
  `

  /** Gives up the events that can't be decoded, so that those behind them are delivered. */
  const giveUpUnreadable = Effect.fnUntraced(function* (
    found: ReadonlyArray<{ readonly "of.id": string }>,
    now: DateTime.Utc
  ) {
    const rows = yield* claimedRows(found)
    const ids = found.flatMap((row, index) => (rows[index] === undefined ? [row["of.id"]] : []))
    if (Array.isArrayNonEmpty(ids)) {
      yield* sql`
        UPDATE outbox SET claim = NULL, dead_at = ${DateTime.toDateUtc(now)}, reason = 'It can''t be read.'
        WHERE ${sql.in("event_id", ids)}
      `
    }
    return rows.flatMap((row) => row?.of ?? [])
  })

  return Outbox.of({
    // The webhooks are read one after the other from an index, so that the events of none are in the way of the others.
    claim: ({ claim, limit, now, until, without = [] }) =>
      sql<{ readonly "of.id": string }>`
        UPDATE outbox SET claim = ${claim}, due_at = ${DateTime.toDateUtc(until)}, attempts = attempts + 1
        WHERE ${amongLocked(
          "position",
          sql`
            SELECT position FROM outbox
            WHERE position IN (
              WITH RECURSIVE waiting (webhook) AS (
                SELECT MIN(webhook) FROM outbox WHERE dead_at IS NULL AND webhook > ''
                UNION ALL
                SELECT (SELECT MIN(webhook) FROM outbox WHERE dead_at IS NULL AND webhook > waiting.webhook)
                FROM waiting WHERE waiting.webhook IS NOT NULL
              )
              SELECT position FROM (${firstDue(sql`webhook IS NULL`, now, limit)}) unrouted
              UNION ALL
              SELECT (${firstDue(sql`webhook = waiting.webhook`, now, 1)}) FROM waiting
              WHERE waiting.webhook IS NOT NULL ${without.length === 0 ? none : sql`AND NOT ${sql.in("waiting.webhook", without)}`}
            ) AND dead_at IS NULL AND due_at <= ${DateTime.toDateUtc(now)}
            ORDER BY due_at, position LIMIT ${limit}
          `
        )}
        RETURNING ${sql.literal(delivery)}, position AS "of.position"
      `.pipe(
        Effect.flatMap((rows) => giveUpUnreadable(rows, now)),
        Effect.map((rows) =>
          rows.toSorted((a, b) => a.position - b.position).map((row) => ({ ...Struct.omit(row, ["position"]), claim }))
        ),
        orWriteFailure
      ),
    done: (claim) => changed(sql`DELETE FROM outbox WHERE ${of(claim)} RETURNING event_id`),
    retry: (claim, at) =>
      changed(sql`
        UPDATE outbox SET claim = NULL, due_at = ${DateTime.toDateUtc(at)} WHERE ${of(claim)} RETURNING event_id
      `),
    release: (claim, at) =>
      changed(sql`
        UPDATE outbox SET claim = NULL, due_at = ${DateTime.toDateUtc(at)}, attempts = attempts - 1 WHERE ${of(claim)}
        RETURNING event_id
      `),
    passOn: (claimed, webhooks) =>
      sql`DELETE FROM outbox WHERE ${of(claimed)} RETURNING event_id`.pipe(
        Effect.tap((rows) =>
          Effect.forEach(
            Array.chunksOf(rows.length === 0 ? [] : webhooks, passedOnBatchSize),
            (some) =>
              sql`
                INSERT INTO outbox (${sql.literal(columns)}, webhook)
                VALUES ${sql.csv(some.map((webhook) => sql`(${valuesOf(sql, claimed.event, webhook)}, ${webhook})`))}
              `,
            { discard: true }
          )
        ),
        Effect.map((rows) => rows.length > 0),
        inTransaction,
        orWriteFailure
      ),
    giveUp: (claim, { at, reason }) =>
      changed(sql`
        UPDATE outbox SET claim = NULL, dead_at = ${DateTime.toDateUtc(at)}, reason = ${reason} WHERE ${of(claim)}
        RETURNING event_id
      `),
    // With the limit in its text, the statement is planned for few rows, which the index has in order.
    dead: ({ after, limit }) =>
      sql`
        SELECT ${sql.literal(delivery)}, dead_at AS "of.deadAt", reason AS "of.reason"
        FROM outbox
        WHERE dead_at IS NOT NULL AND event_id > ${after ?? ""}
        ORDER BY event_id LIMIT ${sql.literal(String(limit))}
      `.pipe(
        Effect.flatMap(deadRows),
        Effect.map((rows) => rows.map((row) => row.of)),
        orUnavailable
      ),
    replay: (id, at) =>
      changed(sql`
        UPDATE outbox SET dead_at = NULL, reason = NULL, attempts = 0, due_at = ${DateTime.toDateUtc(at)}
        WHERE event_id = ${id} AND dead_at IS NOT NULL
        RETURNING event_id
      `),
    expireDead: (before) =>
      sql`DELETE FROM outbox WHERE dead_at < ${DateTime.toDateUtc(before)} RETURNING event_id`.pipe(
        Effect.map((rows) => rows.length),
        orWriteFailure
      ),
    deleteWaiting: (webhook, before) =>
      sql`
        DELETE FROM outbox
        WHERE webhook = ${webhook} AND dead_at IS NULL AND event ->> 'timestamp' < ${DateTime.formatIso(before)}
        RETURNING event_id
      `.pipe(
        Effect.map((rows) => rows.length),
        orWriteFailure
      )
  })
}

const encodeTypes = jsonEncoder(Webhook.fields.types)

export const webhookStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { deliveryAttempt: attempt, webhook } = entities
  const webhookColumns = sql.literal(columns("webhook", "webhooks"))
  const first = decodeFirst({ webhook })
  const all = decodeRows({ webhook })
  const logged = decodeRows({ attempt })

  return WebhookStore.of({
    insert: ({ accountId, branch, createdAt, disabledAt, failingSince, format, id, repository, secret, types, url }) =>
      sql`
        INSERT INTO webhooks
          (id, url, secret, account_id, types, format, repository, branch, created_at, failing_since, disabled_at)
        VALUES (
          ${id}, ${url}, ${secret}, ${accountId ?? null}, ${encodeTypes(types)}, ${format ?? null},
          ${repository ?? null}, ${branch ?? null}, ${DateTime.toDateUtc(createdAt)},
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
        SELECT ${sql.literal(columns("deliveryAttempt", "delivery_attempts", "attempt"))} FROM delivery_attempts
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
