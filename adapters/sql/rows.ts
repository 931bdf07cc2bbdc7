/** The columns of the records and of their parts, in which the engines store them. */
import { Schema, SchemaAST, Struct, type DateTime } from "effect"
import { Account } from "../../core/model/Account.ts"
import { Digests } from "../../core/model/Artifact.ts"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { records } from "../../core/model/MetadataRecord.ts"
import { Reservation } from "../../core/model/Reservation.ts"
import { Repository } from "../../core/model/Repository.ts"
import { TestHistory } from "../../core/model/TestHistory.ts"
import { PackedResults } from "../../core/ports/packedResults.ts"
import { jsonColumn } from "./values.ts"

/** The schemas of an engine's columns for times, truth values, JSON and lists of texts. */
export interface ColumnTypes {
  readonly Time: Schema.Codec<DateTime.Utc, unknown>
  readonly Truth: Schema.Codec<boolean, unknown>
  readonly json: <A>(model: Schema.Codec<A, unknown>) => Schema.Codec<A, unknown>
  readonly list: <A>(model: Schema.Codec<A, unknown>) => Schema.Codec<A, unknown>
}

const encodeDigests = jsonEncoder(Digests)

/** The column of the digests that an upload's finalize recorded. */
export const digestsText = ({ digests }: { readonly digests?: Digests }): string | null =>
  digests === undefined ? null : encodeDigests(digests)

/**
 * The columns that aren't as their type says: JSON that queries look into, results, and the time that a caller gives, which may have
 * any year.
 */
const specialColumns: Readonly<
  Record<string, (model: Schema.Codec<unknown, unknown>, types: ColumnTypes) => Schema.Codec<unknown, unknown>>
> = {
  declaration: (model, { json }) => json(model),
  shared: (model, { json }) => json(model),
  stored: (model, { json }) => json(model),
  types: (model, { json }) => json(model),
  scopes: (model, { list }) => list(model),
  results: () => PackedResults,
  "run.startedAt": (model) => model
}

/** Whether a value is a list or an object. */
const isComposed = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Arrays" || ast._tag === "Objects" || (ast._tag === "Union" && ast.types.some(isComposed))

const columnOf = (kind: string, field: string, model: Schema.Codec<unknown, unknown>, types: ColumnTypes) => {
  const special = specialColumns[`${kind}.${field}`] ?? specialColumns[field]
  if (special !== undefined) return special(model, types)
  if (model.ast === Schema.DateTimeUtcFromString.ast) return types.Time
  if (model.ast._tag === "Boolean") return types.Truth
  return isComposed(SchemaAST.toEncoded(model.ast)) ? jsonColumn(model) : model
}

/** The same struct with the types of the columns. */
const inColumns = <Fields extends Schema.Struct.Fields>(
  { fields }: Schema.Struct<Fields>,
  types: ColumnTypes,
  kind = ""
): Schema.Struct<Fields> => {
  const columns = Object.entries<Schema.Struct.Fields[string]>(fields).map(([field, model]) => [
    field,
    SchemaAST.isOptional(model.ast) && "schema" in model
      ? Schema.optionalKey(columnOf(kind, field, model.schema as Schema.Codec<unknown>, types))
      : columnOf(kind, field, model as Schema.Codec<unknown>, types)
  ])
  return Schema.Struct(Object.fromEntries(columns)) as Schema.Struct<Fields>
}

type Records = typeof records

/** The struct of each kind of record with the types of the columns. */
export const recordsIn = (types: ColumnTypes): { readonly [Kind in keyof Records]: Records[Kind]["model"] } =>
  Object.fromEntries(
    Object.entries(records).map(([kind, { model }]) => [kind, inColumns<Schema.Struct.Fields>(model, types, kind)])
  ) as { readonly [Kind in keyof Records]: Records[Kind]["model"] }

/** The same, and parts of records. */
const entitiesOf = (types: ColumnTypes) => ({
  ...recordsIn(types),
  account: inColumns(Account, types),
  repository: inColumns(Repository, types),
  upload: inColumns(Reservation, types),
  listedTest: inColumns(Schema.Struct(Struct.omit(TestHistory.fields, ["results"])), types)
})

export const snakeCase = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What is selected for a field. The results of a history are two columns, of which a run seldom changes the first. */
export const selected = (field: string, table = ""): string =>
  field === "results" ? `${table}results || ${table}recent` : table + snakeCase(field)

/** The row to insert of an encoded entity: its fields in the columns of their names, null where one is absent. */
export const rowOf = (entity: Schema.Struct<Schema.Struct.Fields>, encoded: { readonly [Field in string]?: unknown }) =>
  Object.fromEntries(Object.keys(entity.fields).map((field) => [snakeCase(field), encoded[field] ?? null]))

/** The selected entities that a row holds. */
export const nested = (row: object): Record<string, Record<string, unknown>> => {
  const out: Record<string, Record<string, unknown>> = {}
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue
    const dot = column.indexOf(".")
    const entity = (out[column.slice(0, dot)] ??= {})
    entity[column.slice(dot + 1)] = value
  }
  return out
}

export const makeRows = (types: ColumnTypes) => {
  const entities = entitiesOf(types)
  return {
    ...types,
    entities,
    /**
     * The columns to select of an entity from its table or the table's alias: `b.ready_at AS "build.readyAt", …`. When
     * a row holds two entities of a kind, each needs its own name.
     */
    columns: (entity: keyof typeof entities, table: string, name: string = entity): string =>
      Object.keys(entities[entity].fields)
        .map((field) => `${selected(field, `${table}.`)} AS "${name}.${field}"`)
        .join(", ")
  }
}

export type Rows = ReturnType<typeof makeRows>
