/** Where each rule of a sweep finds what goes. `t` is the table of what goes, and `b` the build of an upload. */
import type { Due, ExpirySelection } from "../../core/model/Sweep.ts"
import { descriptions, type RecordDescription } from "../../core/model/MetadataRecord.ts"
import { Array, DateTime, Duration, Effect, Option, Schema, Struct } from "effect"
import { AccountId } from "../../core/model/Account.ts"
import { BuildId } from "../../core/model/Build.ts"
import { declaredBytes, isBuildDue, maxUnlistedKeyLife } from "../../core/rules/sweeps.ts"
import { decodeEach, decodeRows, orNull } from "./values.ts"
import type { Engine } from "./Engine.ts"
import type { SqlError } from "effect/sql"
import { ShareId } from "../../core/model/Preview.ts"
import { Reservation, ReservationId } from "../../core/model/Reservation.ts"
import type { Resource } from "../../core/model/Resource.ts"
import { TestRunId } from "../../core/model/TestRun.ts"
import { SweepStore, type DuePage, type ExpiredItem } from "../../core/ports/SweepStore.ts"
import { columnOf, deletedWith, deletionParts } from "./deletions.ts"

/** What of a table goes. */
interface Swept {
  /** The table and its joins. All of these rows are locked during a deletion. */
  readonly from: string
  /** The columns that identify a row. */
  readonly key: readonly [string, ...Array<string>]
  /** When it ended, or was finalized, registered or billed. Behind it, the rows are ordered by their key. */
  readonly at: string
  /** What holds for every row that goes. */
  readonly is: string
  /** Its reservations, where there are any: the row itself, or those of a build. */
  readonly uploads?: "itself" | "of the build"
}

/** The same of a kind of record without objects, and its table. */
interface SweptRecord extends Swept {
  readonly kind: string
  readonly table: string
}

const uploadOfBuild = "build_reservations t JOIN builds b ON b.id = t.build_id"

/** The uploads that ended or were finalized; `builds` are read in another order: see `sweptBuilds`. */
const sweptUploads: Readonly<Record<string, Swept>> = {
  abandoned_builds: {
    from: "builds t",
    key: ["id"],
    at: "t.reserved_until",
    is: "t.ready_at IS NULL",
    uploads: "of the build"
  },
  abandoned_uploads: {
    from: uploadOfBuild,
    key: ["id"],
    at: "t.expires_at",
    is: "t.finalized_at IS NULL AND b.ready_at IS NOT NULL",
    uploads: "itself"
  },
  superseded_uploads: {
    from: uploadOfBuild,
    key: ["id"],
    at: "t.superseded_at",
    is: "t.superseded_at IS NOT NULL AND b.current_upload <> t.id",
    uploads: "itself"
  },
  abandoned_previews: {
    from: "previews t",
    key: ["share_id"],
    at: "t.expires_at",
    is: "t.finalized_at IS NULL",
    uploads: "itself"
  },
  previews: {
    // A value is looked up for each row; of `NOT EXISTS`, a planner may make a join that reads every run that is kept.
    from: "previews t",
    key: ["share_id"],
    at: "t.finalized_at",
    is: `t.finalized_at IS NOT NULL AND t.kept_at IS NULL AND (
      SELECT 1 FROM test_runs r WHERE r.preview_share_id = t.share_id AND r.kept_at IS NOT NULL LIMIT 1
    ) IS NULL`,
    uploads: "itself"
  }
}

/** What is deleted of records without objects, by the rule of each kind. */
const sweptRecords = Object.entries<RecordDescription>(descriptions).flatMap(([kind, { id, model, swept, table }]) => {
  if (swept === undefined) return []
  const fields = Object.keys("fields" in model ? Object(model.fields) : {})
  const at = swept.at.map((field) => `t.${columnOf(field)}`)
  const one: SweptRecord = {
    from: `${table} t`,
    key: Array.map(id, columnOf),
    at: at.length === 1 ? at.join("") : `COALESCE(${at.join(", ")})`,
    is: fields.includes("keptAt") ? "t.kept_at IS NULL" : "true",
    table,
    kind
  }
  return [[swept.rule, one] as const]
})

const sweptTables = Object.fromEntries([...Object.entries(sweptUploads), ...sweptRecords]) as Readonly<
  Record<AgedSelection["rule"], Swept>
>
const recordsOfRule = new Map<string, SweptRecord>(sweptRecords)

type BuildSelection = Extract<ExpirySelection, { readonly rule: "builds" }>

/**
 * Where a page of ready builds ended: the repository, the digest of the branch and app, the platform and the reservation of its last
 * build, and how many of the same branch, app and platform were read.
 */
const BuildsCursor = Schema.fromJsonString(
  Schema.Struct({
    repository: Schema.String,
    last: Schema.optionalKey(
      Schema.Struct({ line: Schema.String, platform: Schema.String, readyBy: Schema.String, rank: Schema.Int })
    )
  })
)
const decodeBuildsCursor = Schema.decodeSync(BuildsCursor)
const encodeBuildsCursor = Schema.encodeSync(BuildsCursor)

/** The ready builds that go by a selection: they are read repository by repository, of each branch, platform and app the latest first. */
const sweptBuilds = ({ columns, entities, free, sql }: Engine) => {
  const { build } = entities
  const someBuilds = decodeRows({ build, line: Schema.Struct({ digest: Schema.Uint8Array }) })
  const someRepositories = decodeRows({ repository: Schema.Struct({ id: Schema.String }) })

  const nextRepository = (account: string, after: string) =>
    sql`
      SELECT id AS "repository.id" FROM repositories WHERE account_id = ${account} AND id > ${after} ORDER BY id LIMIT 1
    `.pipe(
      Effect.flatMap(someRepositories),
      Effect.map((rows) => rows[0]?.repository.id)
    )

  /** A page of a selection: the ids of those that go, and what continues behind it. */
  const page = Effect.fnUntraced(function* (
    selection: BuildSelection,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number }
  ) {
    const place = after === undefined ? undefined : decodeBuildsCursor(after)
    const repository = place?.repository ?? (yield* nextRepository(selection.account, ""))
    if (repository === undefined) return { ids: [] }
    const last = place?.last
    const behind =
      last === undefined
        ? sql.literal("true")
        : sql`(b.line_digest, b.platform, b.ready_by) < (${Buffer.from(last.line, "hex")}, ${last.platform}, ${last.readyBy})`
    const found = yield* sql`
      SELECT ${sql.literal(columns("build", "b"))}, b.line_digest AS "line.digest"
      FROM builds b WHERE b.repository_id = ${repository} AND b.ready_by IS NOT NULL AND ${behind}
      ORDER BY b.line_digest DESC, b.platform DESC, b.ready_by DESC LIMIT ${limit}
    `
    const rows = yield* someBuilds(found)

    let at = last
    const ids = rows.flatMap(({ build: { id, platform, readyAt, readyBy, ...others }, line }) => {
      const digest = Buffer.from(line.digest).toString("hex")
      const rank = at?.line === digest && at.platform === platform ? at.rank + 1 : 0
      at = { line: digest, platform, readyBy: readyBy ?? "", rank }
      return readyAt !== undefined && isBuildDue(selection, { ...others, readyAt, rank }) ? [id] : []
    })
    if (found.length === limit && at !== undefined && at !== last)
      return { ids, next: encodeBuildsCursor({ repository, last: at }) }
    const following = yield* nextRepository(selection.account, repository)
    return following === undefined ? { ids } : { ids, next: encodeBuildsCursor({ repository: following }) }
  })

  /** The builds of the same branch, platform and app as `t` that were reserved later. */
  const later = sql.literal(`FROM builds l WHERE l.repository_id = t.repository_id AND l.line_digest = t.line_digest
    AND l.platform = t.platform AND l.ready_by > t.ready_by`)
  /** The latest of them. As a value it is read from the end of an index, while an `EXISTS` may read a whole branch. */
  const latest = sql`(SELECT l.id ${later} ORDER BY l.ready_by DESC LIMIT 1)`

  const due = ({ account, keep, now, until }: BuildSelection, ids: Array.NonEmptyReadonlyArray<string>) =>
    sql.and([
      sql.in("t.id", ids),
      sql`t.account_id = ${account} AND t.ready_by IS NOT NULL AND t.kept_at IS NULL`,
      sql`t.reserved_until <= ${DateTime.toDateUtc(now)}`,
      sql.or([
        sql`t.ready_at <= ${Option.getOrNull(Option.map(Option.fromUndefinedOr(until), DateTime.toDateUtc))}`,
        ...(keep === undefined ? [] : [sql`(SELECT count(*) FROM (SELECT 1 ${later} LIMIT ${keep}) later) >= ${keep}`])
      ])
    ])

  /**
   * Of these builds those that still go, locked until the transaction ends; so is the latest build of their branches, which
   * therefore stays as long as that.
   */
  const lock = Effect.fnUntraced(function* (selection: BuildSelection, ids: ReadonlyArray<string>) {
    if (!Array.isReadonlyArrayNonEmpty(ids)) return []
    const id = Schema.Struct({ id: BuildId })
    const found = decodeRows({ taken: id })
    const lockedRows = yield* sql`SELECT t.id AS "taken.id" FROM builds t WHERE ${sql.in("t.id", ids)} ${free}`.pipe(
      Effect.flatMap(found)
    )
    const lockedIds = lockedRows.map(({ taken }) => taken.id)
    if (!Array.isReadonlyArrayNonEmpty(lockedIds)) return []
    const latestRows = yield* sql`
      SELECT n.id AS "taken.id" FROM builds n
      WHERE n.id IN (SELECT ${latest} FROM builds t WHERE ${sql.in("t.id", lockedIds)}) ${free}
    `.pipe(Effect.flatMap(found))
    const lockedLatestIds = latestRows.map(({ taken }) => taken.id)
    if (!Array.isReadonlyArrayNonEmpty(lockedLatestIds)) return []
    const stillDue = yield* sql`
      SELECT t.id AS "taken.id", t.account_id AS "taken.account" FROM builds t
      WHERE ${due(selection, lockedIds)} AND ${latest} IN ${sql.in(lockedLatestIds)}
    `.pipe(Effect.flatMap(decodeRows({ taken: Schema.Struct({ id: BuildId, account: AccountId }) })))
    return stillDue.map(({ taken }) => taken)
  })

  return { page, lock }
}

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
  const { endLinks, forgetHosted, insertObjectDeletions } = deletionParts(engine)
  const readyBuilds = sweptBuilds(engine)
  const { accountId, id } = Reservation.fields
  const { stored } = entities.upload.fields
  const upload = Schema.optionalKey(Schema.Struct({ id, accountId, expiresAt: Time, stored, declaration: json(Sizes) }))
  const due = Schema.Struct({ id: Schema.String, at: Schema.optionalKey(Time) })
  const dueIds = decodeRows({ due })
  const dueRows = decodeEach({ due, upload })
  const takenRows = decodeRows({ taken: Schema.Struct({ id: Schema.String, account: Schema.optionalKey(AccountId) }) })
  const knownRows = decodeEach({
    upload: Schema.Struct(Struct.pick(entities.upload.fields, ["id", "finalizedAt", "hostedPrefix"]))
  })
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

  /** The reservations of builds. A build stays if one of them can't be decoded, because nobody knows where its objects are. */
  const uploadsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    if (!Array.isReadonlyArrayNonEmpty(ids)) return { uploads: [], stay: new Set<string>() }
    const found = yield* sql<{ readonly "due.id": string }>`
      SELECT v.build_id AS "due.id", ${uploadColumns("v")} FROM build_reservations v
      WHERE ${sql.in("v.build_id", ids)} ORDER BY v.build_id
    `
    const rows = yield* dueRows(found)
    const stay = new Set(found.flatMap((row, index) => (rows[index] === undefined ? [row["due.id"]] : [])))
    return { uploads: rows.filter((row) => row !== undefined).filter(({ due }) => !stay.has(due.id)), stay }
  })

  type DueRow = Exclude<Effect.Success<ReturnType<typeof dueRows>>[number], undefined>
  const dueOf = (rows: ReadonlyArray<DueRow>): ReadonlyArray<Due> =>
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
    return { due: dueOf((yield* uploadsOf(ids)).uploads), next }
  })

  const agedDue = Effect.fnUntraced(function* (
    selection: AgedSelection,
    page: Page
  ): Effect.fn.Return<DuePage, SqlError.SqlError> {
    const found = yield* agedRows(selection, page)
    const last = (yield* dueIds(found)).at(-1)?.due
    const next =
      found.length < page.limit || last?.at === undefined
        ? {}
        : { next: encodeCursor([DateTime.toEpochMillis(last.at), last.id]) }
    const rows = (yield* dueRows(found)).filter((row) => row !== undefined)
    const ofBuilds = sweptTables[selection.rule].uploads === "of the build" ? rows.map(({ due }) => due.id) : []
    const { stay, uploads } = yield* uploadsOf(ofBuilds)
    const byBuild = Array.groupBy(uploads, ({ due }) => due.id)
    return { due: dueOf(rows.flatMap((row) => (stay.has(row.due.id) ? [] : (byBuild[row.due.id] ?? [row])))), ...next }
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
    const dueAmong = (ids: Array.NonEmptyReadonlyArray<string>) => sql`
      SELECT ${key.text} AS "taken.id"${selected} FROM ${sql.literal(from)}
      WHERE ${key.among(ids)} AND ${conditionOf(selection)}
    `
    const lockedIds = (yield* Effect.flatMap(sql`${dueAmong(ids)} ${free}`, takenRows)).map(({ taken }) => taken.id)
    return Array.isReadonlyArrayNonEmpty(lockedIds)
      ? (yield* Effect.flatMap(dueAmong(lockedIds), takenRows)).map(({ taken }) => taken)
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
      default: {
        const { kind, table } = recordsOfRule.get(rule) ?? { kind: "", table: "" }
        const others = deletedWith(kind).map(([, one]) => from(one.table, columnOf(one.deletedWith?.by ?? "")))
        return Effect.andThen(
          Effect.forEach(others, (deletion) => deletion, { discard: true }),
          sql`DELETE FROM ${sql.literal(table)} WHERE ${keyOf({ rule }).among(ids, "")}`
        )
      }
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
    yield* insertObjectDeletions(removals)
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
        SELECT v.id AS "upload.id", v.finalized_at AS "upload.finalizedAt", v.hosted_prefix AS "upload.hostedPrefix"
        FROM ${sql.literal(table)} v WHERE ${sql.in("v.id", ids)}
      `
      return sql<{ readonly "upload.id": string }>`${of("build_reservations")} UNION ALL ${of("previews")}`.pipe(
        Effect.flatMap((found) =>
          Effect.map(knownRows(found), (rows) =>
            rows.map((row, index) => row?.upload ?? { id: ReservationId.make(found[index]?.["upload.id"] ?? "") })
          )
        ),
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
