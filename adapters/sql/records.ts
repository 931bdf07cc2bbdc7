/** Everything that an SQL engine keeps, read as records and written from them: see `core/ports/MetadataSnapshot.ts`. */
import { Array, Effect, Option, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { recordsOf } from "../../core/model/MetadataRecord.ts"
import type { MetadataRecord, RecordKind } from "../../core/model/MetadataRecord.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { NotEmpty } from "../../core/ports/MetadataSnapshot.ts"
import { digest } from "./digest.ts"
import { keyDigest } from "./repositories.ts"
import { entitiesOf, nested, snakeCase } from "./rows.ts"
import type { ColumnTypes } from "./rows.ts"

interface Table {
  readonly kind: RecordKind
  readonly name: string
  /** The fields that make a row one, in whose order rows are read. */
  readonly key: readonly [string, ...Array<string>]
}

/** Where the records of each kind are, in an order in which none refers to a later table. */
const tables: ReadonlyArray<Table> = [
  { kind: "account", name: "accounts", key: ["id"] },
  { kind: "key", name: "api_keys", key: ["id"] },
  { kind: "repository", name: "repositories", key: ["id"] },
  { kind: "build", name: "builds", key: ["id"] },
  { kind: "reservation", name: "build_reservations", key: ["id"] },
  { kind: "preview", name: "previews", key: ["id"] },
  { kind: "billedTestRun", name: "billed_test_runs", key: ["previewId"] },
  { kind: "run", name: "test_runs", key: ["id"] },
  { kind: "answer", name: "idempotent_answers", key: ["accountId", "keyHash"] },
  { kind: "shareLink", name: "share_links", key: ["id"] },
  { kind: "session", name: "sessions", key: ["id"] }
]

type Row = Record<string, unknown>

/** The columns that are made of others, for indexes. */
const derived = (record: MetadataRecord): Row => {
  switch (record.kind) {
    case "account":
      return { name_digest: digest(record.value.name) }
    case "repository":
      return { key_digest: keyDigest(repositoryKey(record.value.owner, record.value.repo)) }
    case "build":
      return { branch_digest: digest(record.value.branch) }
    case "run": {
      const { branch, source } = record.value
      return {
        branch_digest: branch === undefined ? null : digest(branch),
        source_digest: source === undefined ? null : digest(source)
      }
    }
    default:
      return {}
  }
}

const modelsOf = (types: ColumnTypes) => {
  const { knownRepository, ...others } = entitiesOf(types)
  return { ...others, repository: knownRepository }
}

/** As many rows as go through the memory at once. */
const batch = 200

// What is stored had been checked on its way in, by the limits of that day.
const options = { disableChecks: true }

/** Every record, kind by kind. */
export const readRecords = (sql: SqlClient.SqlClient, types: ColumnTypes) => {
  const models = modelsOf(types)
  const decode = Schema.decodeUnknownEffect(Schema.Array(recordsOf(models)), options)

  const pagesOf = ({ key, kind, name }: Table) => {
    const columns = Object.keys(models[kind].fields).map((field) => `${snakeCase(field)} AS "value.${field}"`)
    const order = sql.literal(key.map(snakeCase).join(", "))
    const select = sql.literal(`SELECT ${columns.join(", ")} FROM ${name}`)
    return Stream.paginate(Option.none<ReadonlyArray<unknown>>(), (after) => {
      const behind = Option.match(after, {
        onNone: () => sql.literal("true"),
        onSome: (last) => sql`(${order}) > (${sql.csv(last.map((value) => sql`${value}`))})`
      })
      return Effect.gen(function* () {
        const rows = yield* sql`${select} WHERE ${behind} ORDER BY ${order} LIMIT ${batch}`
        const last = rows.length < batch ? undefined : rows.at(-1)
        const next = Option.map(Option.fromUndefinedOr(last), (row) =>
          Option.some(key.map((field) => row[`value.${field}`]))
        )
        return [yield* Effect.orDie(decode(rows.map((row) => ({ kind, ...nested(row) })))), next] as const
      })
    })
  }

  return Stream.flatMap(Stream.fromIterable(tables), pagesOf)
}

/** Fails when any table has a row. */
export const assertEmpty = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    tables,
    ({ name }) =>
      Effect.filterOrFail(
        sql`SELECT 1 FROM ${sql(name)} LIMIT 1`,
        (rows) => rows.length === 0,
        () => new NotEmpty()
      ),
    { discard: true }
  )

/** Stores records, as many at a time as come together and are of one kind. `types` is what the engine takes. */
export const writeRecords = (sql: SqlClient.SqlClient, types: ColumnTypes) => {
  const models = modelsOf(types)
  const Encoded = Schema.Array(Schema.Struct({ value: Schema.Record(Schema.String, Schema.Unknown) }))
  const encode = Schema.encodeEffect(Schema.Array(recordsOf(models)), options)

  const insert = Effect.fnUntraced(function* (records: Array.NonEmptyReadonlyArray<MetadataRecord>) {
    const [{ kind }] = records
    const fields = Object.keys(models[kind].fields)
    const encoded = yield* Effect.orDie(Effect.flatMap(encode(records), Schema.decodeUnknownEffect(Encoded)))
    const rows = Array.zipWith(encoded, records, ({ value }, record): Row => ({
      ...Object.fromEntries(fields.map((field) => [snakeCase(field), value[field] ?? null])),
      ...derived(record)
    }))
    const table = tables.find((one) => one.kind === kind)?.name ?? kind
    if (Array.isArrayNonEmpty(rows)) yield* sql`INSERT INTO ${sql(table)} ${sql.insert(rows)}`
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
