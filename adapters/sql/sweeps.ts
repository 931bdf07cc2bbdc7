import { Array, DateTime, Duration, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { AccountId } from "../../core/model/Account.ts"
import { BuildId } from "../../core/model/Build.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { Reservation } from "../../core/model/Reservation.ts"
import type { Resource } from "../../core/model/Resource.ts"
import type { Due, ExpirySelection } from "../../core/model/Sweep.ts"
import { TestRunId } from "../../core/model/TestRun.ts"
import { SweepStore, type DuePage, type ExpiredItem } from "../../core/ports/SweepStore.ts"
import { declaredBytes, maxUnlistedKeyLife } from "../../core/rules/sweeps.ts"
import { decodeRows } from "./decodeRows.ts"
import { deletionParts } from "./deletions.ts"
import type { Engine } from "./Engine.ts"
import { orNull } from "./orNull.ts"
import { sweptBuilds } from "./sweptBuilds.ts"
import { sweptTables } from "./sweptTables.ts"

/** Where a page ended: the time and the id of its last row. */
const Cursor = Schema.fromJsonString(Schema.Tuple([Schema.Finite, Schema.String]))
const decodeCursor = Schema.decodeSync(Cursor)
const encodeCursor = Schema.encodeSync(Cursor)

const Sized = Schema.Array(Schema.Struct({ sizeBytes: Schema.Finite }))
const Sizes = Schema.Struct({ bundleSizeBytes: Schema.Finite, files: Sized, recordings: Schema.optionalKey(Sized) })

type AgedSelection = Exclude<ExpirySelection, { readonly rule: "builds" }>

interface Page {
  readonly after?: string | undefined
  readonly limit: number
}

const buildOf = (id: string): Resource => ({ build: BuildId.make(id) })
const previewOf = (id: string): Resource => ({ preview: ShareId.make(id) })

/** The resources of the rules that expire what share links may open. */
const shareable: Readonly<Partial<Record<ExpirySelection["rule"], (id: string) => Resource>>> = {
  builds: buildOf,
  abandoned_builds: buildOf,
  previews: previewOf,
  abandoned_previews: previewOf,
  runs: (id) => ({ run: TestRunId.make(id) })
}

export const sweepStore = (engine: Engine) => {
  const {
    columns,
    earlierTime: earlier,
    entities,
    free,
    inTransaction,
    json,
    orUnavailable,
    orWriteFailure,
    redoable,
    sql,
    Time
  } = engine
  const { endLinks, forgetHosted, insertRemovals } = deletionParts(engine)
  const readyBuilds = sweptBuilds(engine)
  const { accountId, id } = Reservation.fields
  const { stored } = entities.upload.fields
  const upload = Schema.optionalKey(Schema.Struct({ id, accountId, expiresAt: Time, stored, declaration: json(Sizes) }))
  const dueRows = decodeRows({ due: Schema.Struct({ id: Schema.String, at: Schema.optionalKey(Time) }), upload })
  const takenRows = decodeRows({ taken: Schema.Struct({ id: Schema.String, account: Schema.optionalKey(AccountId) }) })
  const knownRows = decodeRows({ upload: entities.upload })
  const checkpointRows = decodeRows({
    checkpoint: Schema.optionalKey(
      Schema.Struct({ cursor: Schema.optionalKey(Schema.String), doneAt: Schema.optionalKey(Time) })
    )
  })
  const uploadColumns = (table: string) =>
    sql.literal(
      `${table}.id AS "upload.id", ${table}.account_id AS "upload.accountId", ${table}.expires_at AS "upload.expiresAt",
       ${table}.stored AS "upload.stored", ${table}.declaration AS "upload.declaration"`
    )

  /**
   * Keys for exchanged tokens live for minutes; others stay listed among those of their account. The index `api_keys_exchanged`
   * has this condition, in these words and with this number.
   */
  const lifetime = `t.expires_at - t.created_at <= ${Duration.toMillis(maxUnlistedKeyLife)}`
  const livedShortly = sql.onDialectOrElse({
    sqlite: () => sql.literal(lifetime),
    orElse: () => sql.literal(`${lifetime} * interval '1 millisecond'`)
  })

  const conditionOf = (selection: AgedSelection) => {
    const { at, is } = sweptTables[selection.rule]
    return sql.and([
      sql.literal(is),
      sql`${sql.literal(at)} <= ${DateTime.toDateUtc(selection.until)}`,
      ...("account" in selection ? [sql`t.account_id = ${selection.account}`] : []),
      ...(selection.rule === "exchanged_keys" ? [livedShortly] : [])
    ])
  }

  /** The columns of a key, and their values in an id: several stand in it with slashes between them. */
  const keyOf = ({ rule }: Pick<AgedSelection, "rule">) => {
    const { key } = sweptTables[rule]
    const names = key.map((column) => `t.${column}`)
    const valuesOf = (id: string) => sql.csv((key.length === 1 ? [id] : id.split("/")).map((value) => sql`${value}`))
    const among = (ids: ReadonlyArray<string>, table = "t.") => {
      const columns = sql.literal(key.map((column) => table + column).join(", "))
      return key.length === 1
        ? sql`${columns} IN (${sql.csv(ids.map(valuesOf))})`
        : sql`(${columns}) IN (VALUES ${sql.csv(ids.map((id) => sql`(${valuesOf(id)})`))})`
    }
    return { columns: sql.literal(names.join(", ")), text: sql.literal(names.join(" || '/' || ")), valuesOf, among }
  }

  const agedRows = (selection: AgedSelection, { after, limit }: Page) => {
    const { at: time, from, uploads } = sweptTables[selection.rule]
    const [at, key] = [sql.literal(time), keyOf(selection)]
    const behind = Option.match(Option.map(Option.fromUndefinedOr(after), decodeCursor), {
      onNone: () => sql.literal("true"),
      onSome: ([millis, id]) => sql`(${at}, ${key.columns}) > (${new Date(millis)}, ${key.valuesOf(id)})`
    })
    const page = sql`
      FROM ${sql.literal(from)} WHERE ${conditionOf(selection)} AND ${behind} ORDER BY ${at}, ${key.columns} LIMIT ${limit}
    `
    const selected = uploads === "itself" ? sql`, ${uploadColumns("t")}` : sql.literal("")
    return sql`SELECT ${key.text} AS "due.id", ${at} AS "due.at"${selected} ${page}`
  }

  /** The reservations of builds. */
  const uploadsOf = (ids: ReadonlyArray<string>) =>
    Array.isReadonlyArrayNonEmpty(ids)
      ? sql`
          SELECT v.build_id AS "due.id", ${uploadColumns("v")} FROM build_reservations v
          WHERE ${sql.in("v.build_id", ids)} ORDER BY v.build_id
        `.pipe(Effect.flatMap(dueRows))
      : Effect.succeed([])

  const dueOf = (rows: Effect.Success<ReturnType<typeof dueRows>>): ReadonlyArray<Due> =>
    (Array.isReadonlyArrayNonEmpty(rows) ? Array.groupWith(rows, (a, b) => a.due.id === b.due.id) : []).map((same) => {
      const uploads = same.flatMap(({ upload }) => upload ?? [])
      return {
        id: same[0].due.id,
        reservations: uploads.map(({ declaration: _declaration, ...upload }) => upload),
        sizeBytes: uploads.reduce((sum, { declaration }) => sum + declaredBytes(declaration), 0)
      }
    })

  const buildsDue = Effect.fnUntraced(function* (
    selection: Extract<ExpirySelection, { readonly rule: "builds" }>,
    page: Page
  ): Effect.fn.Return<DuePage, SqlError.SqlError> {
    const { ids, next } = yield* readyBuilds.page(selection, page)
    return { due: dueOf(yield* uploadsOf(ids)), next }
  })

  const agedDue = Effect.fnUntraced(function* (
    selection: AgedSelection,
    page: Page
  ): Effect.fn.Return<DuePage, SqlError.SqlError> {
    const rows = yield* Effect.flatMap(agedRows(selection, page), dueRows)
    const ofBuilds = sweptTables[selection.rule].uploads === "of the build" ? rows.map(({ due }) => due.id) : []
    const uploads = Array.groupBy(yield* uploadsOf(ofBuilds), ({ due }) => due.id)
    const [due, last] = [dueOf(rows.flatMap((row) => uploads[row.due.id] ?? [row])), rows.at(-1)?.due]
    return due.length < page.limit || last?.at === undefined
      ? { due }
      : { due, next: encodeCursor([DateTime.toEpochMillis(last.at), last.id]) }
  })

  /**
   * Locks the items that are still selected until the transaction ends, and returns them. They are read again after the
   * lock, because the rows that they depend on may have changed before it.
   */
  const lock = Effect.fnUntraced(function* (selection: AgedSelection, ids: Array.NonEmptyReadonlyArray<string>) {
    const { from } = sweptTables[selection.rule]
    const key = keyOf(selection)
    const ownLinks = selection.rule in shareable
    const selected = sql.literal(ownLinks ? `, t.account_id AS "taken.account"` : "")
    const still = (ids: Array.NonEmptyReadonlyArray<string>) => sql`
      SELECT ${key.text} AS "taken.id"${selected} FROM ${sql.literal(from)}
      WHERE ${key.among(ids)} AND ${conditionOf(selection)}
    `
    const own = (yield* Effect.flatMap(sql`${still(ids)} ${free}`, takenRows)).map(({ taken }) => taken.id)
    return Array.isReadonlyArrayNonEmpty(own)
      ? (yield* Effect.flatMap(still(own), takenRows)).map(({ taken }) => taken)
      : []
  })

  /** Removes rows that are locked, and what can't be without them. */
  const remove = (rule: ExpirySelection["rule"], ids: Array.NonEmptyReadonlyArray<string>) => {
    const from = (table: string, column = "id") => sql`DELETE FROM ${sql.literal(table)} WHERE ${sql.in(column, ids)}`
    switch (rule) {
      case "abandoned_builds":
      case "builds":
        return Effect.andThen(from("build_reservations", "build_id"), from("builds"))
      case "abandoned_uploads":
        // A finalize that is under way was decided on the version before.
        return sql`
          UPDATE builds SET version = version + 1
          WHERE id IN (SELECT build_id FROM build_reservations WHERE ${sql.in("id", ids)})
        `.pipe(Effect.andThen(from("build_reservations")))
      case "superseded_uploads":
        return from("build_reservations")
      case "abandoned_previews":
      case "previews":
        return from("previews", "share_id")
      case "exchanged_keys":
        return Effect.andThen(from("sessions", "key_id"), from("api_keys"))
      case "answers":
        return sql`DELETE FROM idempotency_keys WHERE ${keyOf({ rule }).among(ids, "")}`
      case "histories":
        return sql`DELETE FROM test_histories WHERE ${keyOf({ rule }).among(ids, "")}`
      case "ci_runs":
        return sql`DELETE FROM ci_runs WHERE ${keyOf({ rule }).among(ids, "")}`
      case "runs":
        return from("test_runs")
      case "billed":
        return from("billed_test_runs", "preview_id")
      case "used_tokens":
        return from("used_tokens", "token_hash")
      case "sessions":
      case "share_links":
        return from(rule)
    }
  }

  const endLinksTo = (
    rule: ExpirySelection["rule"],
    taken: ReadonlyArray<{ readonly id: string; readonly account?: AccountId }>
  ) =>
    Effect.forEach(
      taken,
      ({ account, id }) => {
        const resourceOf = shareable[rule]
        return account === undefined || resourceOf === undefined
          ? Effect.void
          : Effect.asVoid(endLinks(account, resourceOf(id)))
      },
      { discard: true }
    )

  const take = Effect.fnUntraced(function* (
    selection: ExpirySelection,
    items: ReadonlyArray<ExpiredItem>
  ): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
    const ids = items.map(({ id }) => id)
    if (!Array.isReadonlyArrayNonEmpty(ids)) return []
    const taken = yield* selection.rule === "builds" ? readyBuilds.lock(selection, ids) : lock(selection, ids)
    const takenIds = taken.map(({ id }): string => id)
    if (!Array.isReadonlyArrayNonEmpty(takenIds)) return []
    yield* remove(selection.rule, takenIds)
    yield* endLinksTo(selection.rule, taken)
    const isTaken = new Set(takenIds)
    const removals = items.filter(({ id }) => isTaken.has(id)).flatMap(({ removals }) => removals)
    yield* Effect.forEach(removals, ({ accountId, prefix }) => forgetHosted(accountId, prefix), { discard: true })
    yield* insertRemovals(removals)
    return takenIds
  })

  /** An ended item without objects may reappear, because the next sweep deletes it again. One with objects must not reappear without them. */
  const isRedoable = (selection: ExpirySelection, items: ReadonlyArray<ExpiredItem>) =>
    !("account" in selection) && items.every(({ removals }) => removals.length === 0)

  return SweepStore.of({
    earlierTime: (ofHost) => orUnavailable(earlier(ofHost)),
    due: (selection, page) =>
      orUnavailable(selection.rule === "builds" ? buildsDue(selection, page) : agedDue(selection, page)),
    expire: (selection, items) => {
      const taking = take(selection, items).pipe(inTransaction, orWriteFailure)
      return isRedoable(selection, items) ? redoable(taking) : taking
    },
    findReservations: (ids) => {
      if (!Array.isReadonlyArrayNonEmpty(ids)) return Effect.succeed([])
      const of = (table: string) => sql`
        SELECT ${sql.literal(columns("upload", "v"))} FROM ${sql.literal(table)} v WHERE ${sql.in("v.id", ids)}
      `
      return sql`${of("build_reservations")} UNION ALL ${of("previews")}`.pipe(
        Effect.flatMap(knownRows),
        Effect.map((rows) => rows.map(({ upload }) => upload)),
        orUnavailable
      )
    },
    acquireLease: ({ holder, job, latest, now, until }) =>
      sql`
        INSERT INTO job_checkpoints (job, holder, held_until) VALUES (${job}, ${holder}, ${DateTime.toDateUtc(until)})
        ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
        WHERE job_checkpoints.holder IS NULL OR job_checkpoints.holder = excluded.holder
          OR job_checkpoints.held_until <= ${DateTime.toDateUtc(now)} OR job_checkpoints.held_until > ${DateTime.toDateUtc(latest)}
        RETURNING cursor AS "checkpoint.cursor", done_at AS "checkpoint.doneAt"
      `.pipe(
        Effect.flatMap(checkpointRows),
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), ({ checkpoint = {} }) => checkpoint)),
        orWriteFailure,
        redoable
      ),
    saveCheckpoint: ({ cursor, doneAt, holder, job }) =>
      sql`
        UPDATE job_checkpoints SET
          cursor = ${cursor ?? null}, done_at = ${doneAt === undefined ? sql.literal("done_at") : sql`${orNull(doneAt)}`},
          holder = ${doneAt === undefined ? holder : null}
        WHERE job = ${job} AND holder = ${holder}
        RETURNING job
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        orWriteFailure,
        redoable
      )
  })
}
