/** Reads and writes everything that an SQL engine stores as records: see `core/ports/MetadataSnapshot.ts`. */
import { Array, Effect, Option, Schema, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../core/model/Account.ts"
import {
  descriptions,
  portableKinds,
  recordKinds,
  recordsOf,
  type MetadataRecord,
  type RecordKind
} from "../../core/model/MetadataRecord.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { MetadataSource, MetadataTarget, NotEmpty } from "../../core/ports/MetadataSnapshot.ts"
import { countedOf } from "../../core/rules/limits.ts"
import { digest, digestOrNull, lineDigest } from "./values.ts"
import { keyDigest } from "./repositories.ts"
import { historyBranch } from "./testHistories.ts"
import { derivedOfRun } from "./testRuns.ts"
import { nested, recordsIn, rowOf, selected, snakeCase, type ColumnTypes } from "./rows.ts"
import { inTransaction, type Failures } from "./Engine.ts"

type Row = Record<string, unknown>

/** Columns that are computed from others, for indexes and for usage. */
const derived = (record: MetadataRecord): Row => {
  switch (record.kind) {
    case "account":
      return { name_digest: digest(record.value.name) }
    case "repository":
      return { key_digest: keyDigest(repositoryKey(record.value.owner, record.value.repo)) }
    case "build":
      return { branch_digest: digest(record.value.branch), line_digest: lineDigest(record.value) }
    case "reservation":
    case "preview": {
      const { declaredBytes, storedBytes, uploadedBytes } = countedOf(record.value)
      return { declared_bytes: declaredBytes, stored_bytes: storedBytes, uploaded_bytes: uploadedBytes }
    }
    case "run":
      return derivedOfRun(record.value)
    case "testHistory":
      return { branch_digest: historyBranch(record.value.branch), result_count: record.value.summary.runs }
    case "ciRun":
      return { branch_digest: digestOrNull(record.value.branch) }
    default:
      return {}
  }
}

/** How many rows are in memory at the same time. */
const batch = 200

// Stored values aren't checked again, because the limits may have changed since they were stored.
const options = { disableChecks: true }

/** Every record, or those that one account takes along. */
const readRecords = (sql: SqlClient.SqlClient, types: ColumnTypes, account?: AccountId) => {
  const models = recordsIn(types)
  const decodeOne = Schema.decodeUnknownEffect(recordsOf(models), options)
  const decodeEvery = Schema.decodeUnknownEffect(Schema.Array(recordsOf(models)), options)
  /** A record that can't be decoded is left out and logged. */
  const decodeEach = (kind: RecordKind, rows: ReadonlyArray<object>) =>
    Effect.forEach(rows, (row) =>
      Effect.catch(Effect.map(decodeOne(row), Array.of), (error) => {
        const id = descriptions[kind].id.map((field) => String(Object(row).value?.[field]))
        return Effect.as(
          Effect.logError(`A backup leaves out the ${kind} ${id.join(" ")}, which can't be read: ${error.message}`),
          []
        )
      })
    ).pipe(Effect.map((all) => all.flat()))

  const pagesOf = (kind: RecordKind) => {
    const { account: of = "accountId", id, readBy: key = id, table } = descriptions[kind]
    const columns = [...new Set([...Object.keys(models[kind].fields), ...key])].map(
      (field) => `${selected(field)} AS "value.${field}"`
    )
    const own = sql.literal(snakeCase(of))
    const whose = account === undefined ? sql.literal("true") : sql`${own} = ${account}`
    const order = sql.literal(key.map(snakeCase).join(", "))
    const select = sql.literal(`SELECT ${columns.join(", ")} FROM ${table}`)
    return Stream.paginate(Option.none<ReadonlyArray<unknown>>(), (after) => {
      const behind = Option.match(after, {
        onNone: () => sql.literal("true"),
        onSome: (last) => sql`(${order}) > (${sql.csv(last.map((value) => sql`${value}`))})`
      })
      return Effect.gen(function* () {
        const rows = yield* sql`${select} WHERE ${whose} AND ${behind} ORDER BY ${order} LIMIT ${batch}`
        const last = rows.length < batch ? undefined : rows.at(-1)
        const next = Option.map(Option.fromUndefinedOr(last), (row) =>
          Option.some(key.map((field) => row[`value.${field}`]))
        )
        const records = rows.map((row) => ({ kind, ...nested(row) }))
        return [yield* Effect.catch(decodeEvery(records), () => decodeEach(kind, records)), next] as const
      })
    })
  }

  return Stream.flatMap(Stream.fromIterable(account === undefined ? recordKinds : portableKinds), pagesOf)
}

const assertEmpty = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    recordKinds,
    (kind) =>
      Effect.filterOrFail(
        sql`SELECT 1 FROM ${sql(descriptions[kind].table)} LIMIT 1`,
        (rows) => rows.length === 0,
        () => new NotEmpty()
      ),
    { discard: true }
  )

/** Stores records, with consecutive records of one kind in batches. `types` is what the engine takes. */
const writeRecords = (sql: SqlClient.SqlClient, types: ColumnTypes) => {
  const models = recordsIn(types)
  const Encoded = Schema.Array(Schema.Struct({ value: Schema.Record(Schema.String, Schema.Unknown) }))
  const encode = Schema.encodeEffect(Schema.Array(recordsOf(models)), options)

  const insert = Effect.fnUntraced(function* (records: Array.NonEmptyReadonlyArray<MetadataRecord>) {
    const [{ kind }] = records
    const encoded = yield* Effect.orDie(Effect.flatMap(encode(records), Schema.decodeUnknownEffect(Encoded)))
    const rows = Array.zipWith(encoded, records, ({ value }, record): Row => ({
      ...rowOf(models[kind], value),
      ...derived(record)
    }))
    if (Array.isArrayNonEmpty(rows)) yield* sql`INSERT INTO ${sql(descriptions[kind].table)} ${sql.insert(rows)}`
  })

  return <E>(records: Stream.Stream<MetadataRecord, E>) =>
    records.pipe(
      Stream.rechunk(batch),
      Stream.runForEachArray((some) =>
        Effect.forEach(
          Array.groupWith(some, (a, b) => a.kind === b.kind),
          insert,
          { discard: true }
        )
      )
    )
}

/** Reads a whole engine in one transaction. `begin` starts it, and `hold` fixes its moment. */
export const sourceOn = (
  sql: SqlClient.SqlClient,
  engine: {
    readonly types: ColumnTypes
    readonly failures: Failures
    readonly begin: string
    readonly hold: Effect.Effect<unknown, SqlError.SqlError>
  }
) => {
  const records = (account?: AccountId) =>
    Stream.catchTag(readRecords(sql, engine.types, account), "SqlError", (error) =>
      Stream.fromEffect(engine.failures.orUnavailable(Effect.fail(error)))
    )
  const inSnapshot = <A, E, R>(use: Effect.Effect<A, E, R>) =>
    Effect.andThen(engine.hold, use).pipe(
      inTransaction(sql),
      Effect.provideService(SqlClient.BeginTransaction, engine.begin),
      engine.failures.orUnavailable
    )
  return MetadataSource.of({
    snapshot: (use) => inSnapshot(use(records())),
    snapshotOf: (account, use) => inSnapshot(use(records(account)))
  })
}

/** Fills an engine in one transaction. `types` is what its columns take; `hold` runs first. */
export const targetOn = (
  sql: SqlClient.SqlClient,
  engine: {
    readonly types: ColumnTypes
    readonly failures: Failures
    readonly hold: Effect.Effect<unknown, SqlError.SqlError>
  }
) =>
  MetadataTarget.of({
    assertEmpty: engine.failures.orUnavailable(assertEmpty(sql)),
    fill: (records) =>
      Effect.andThen(engine.hold, assertEmpty(sql)).pipe(
        Effect.andThen(writeRecords(sql, engine.types)(records)),
        inTransaction(sql),
        engine.failures.orWriteFailure
      )
  })
