import { Context, DateTime, Effect, Option, Schema, SchemaAST } from "effect"
import { hash } from "node:crypto"
import { hasShape, jsonDecoder } from "../../core/model/compiledJson.ts"
import { maxUnreadable, tooManyUnreadable } from "../../core/rules/pages.ts"

/** A time that may be absent, as a parameter of a statement. */
export const orNull = (time: DateTime.Utc | undefined): Date | null =>
  time === undefined ? null : DateTime.toDateUtc(time)

/**
 * The SHA-256 of a text, by which the text is looked up and kept unique. An index entry must be smaller than a third of
 * a page (2,704 bytes in PostgreSQL), and a name may be longer than that.
 */
export const digest = (text: string): Uint8Array => hash("sha256", text, "buffer")

/** The digest of a branch and, where it is given, an app. No name holds the character between them. */
export const lineDigest = ({
  app,
  branch
}: {
  readonly app?: string | undefined
  readonly branch: string
}): Uint8Array => digest(app === undefined ? branch : `${branch}\0${app}`)

/** The digest of a text that may be absent, as a parameter of a statement. */
export const digestOrNull = (text: string | undefined): Uint8Array | null => (text === undefined ? null : digest(text))

/** Waits for the next turn of the event loop, in which the process does what came meanwhile. */
export const nextTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

// Decodes rows to the model. A statement names each column after its entity (`"build.readyAt"`), so one row can hold
// several entities. A null column is an absent field, and an entity whose columns are all null (of an outer join) is
// absent.

type Struct = Schema.Struct<Schema.Struct.Fields>

/** The entities of a row by their names; those in `optionalKey` may be absent. */
type Entities = Readonly<Record<string, Struct | Schema.optionalKey<Struct>>>

type Row<E extends Entities> = Schema.Struct<E>["Type"]

/** A value that a column can't hold is stored nonetheless: a fault of ours or of the database. */
class UndecodableRow extends Error {}

// Only the structure is decoded. Stored values aren't checked again, because the limits may have changed since they
// were stored.
const options = { disableChecks: true }

/** Texts shorter than this are decoded faster than they are found again. */
const shortestRemembered = 4096
const maxRememberedLength = 512 * 1024

/**
 * Remembers what the latest long texts were decoded to: each file of a preview that an app loads needs the whole declaration,
 * which never changes.
 */
const rememberLongTexts = (decode: (value: unknown) => unknown): ((value: unknown) => unknown) => {
  const decoded = new Map<string, unknown>()
  let length = 0
  return (value) => {
    if (typeof value !== "string" || value.length < shortestRemembered) return decode(value)
    const isKnown = decoded.has(value)
    const result = isKnown ? decoded.get(value) : decode(value)
    // The oldest comes first in a map.
    decoded.delete(value)
    decoded.set(value, result)
    if (!isKnown) length += value.length
    for (const oldest of decoded.keys()) {
      if (length <= maxRememberedLength) break
      decoded.delete(oldest)
      length -= oldest.length
    }
    return result
  }
}

/** How the values of columns of JSON text are decoded. */
const jsonDecoders = new WeakMap<object, (value: unknown) => unknown>()

/** A column of JSON text. */
export const jsonColumn = <A>(model: Schema.Codec<A, unknown>): Schema.Codec<A, string> => {
  const column = Schema.fromJsonString(model)
  const decode = jsonDecoder(model)
  jsonDecoders.set(column, (value) => decode(String(value)))
  return column
}

const decoders = new Map<SchemaAST.AST, (value: unknown) => unknown>([
  [Schema.DateTimeUtcFromMillis.ast, (value) => DateTime.makeUnsafe(Number(value))],
  [Schema.BooleanFromBit.ast, (value) => value === 1]
])

/** How a value of a column is decoded: without its schema where that is known. */
const valueDecoder = (schema: Schema.Struct.Fields[string]) => {
  const column = "schema" in schema && Schema.isSchema(schema.schema) ? schema.schema : schema
  return (
    jsonDecoders.get(column) ??
    decoders.get(column.ast) ??
    Schema.decodeUnknownSync(schema as Schema.Codec<unknown>, options)
  )
}

/** Checks JSON that an engine returns as the model has it: the engine knows nothing of its shape. */
const asStored = ({ ast }: Schema.Struct.Fields[string]): ((value: unknown) => unknown) | undefined => {
  const fits = SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast) || SchemaAST.isUnion(ast) ? hasShape(ast) : undefined
  if (fits === undefined) return undefined
  return (value) => {
    if (!fits(value)) throw new TypeError("its JSON is of another shape")
    return value
  }
}

/** How the values of a column are decoded; most are stored as the model has them, and need nothing. */
const columnOf = (entity: string, field: string, schema: Schema.Struct.Fields[string]) => {
  const isAsStored = SchemaAST.toEncoded(schema.ast) === SchemaAST.toType(schema.ast)
  return {
    name: `${entity}.${field}`,
    field,
    isOptional: SchemaAST.isOptional(schema.ast),
    decode: isAsStored ? asStored(schema) : rememberLongTexts(valueDecoder(schema))
  }
}

/**
 * The decoder of one row, made once for a statement. It reads the row's columns directly: a schema of the whole row
 * would take about a tenth of the time of a read of a build.
 */
const decoder = <E extends Entities>(entities: E): ((row: Readonly<Record<string, unknown>>) => Row<E>) => {
  const parts = Object.entries(entities).map(([entity, schema]) => ({
    entity,
    isOptional: SchemaAST.isOptional(schema.ast),
    columns: Object.entries("fields" in schema ? schema.fields : schema.schema.fields).map(([field, type]) =>
      columnOf(entity, field, type)
    )
  }))
  const decode = (row: Readonly<Record<string, unknown>>) => {
    const decoded: Record<string, Record<string, unknown>> = {}
    for (const { columns, entity, isOptional } of parts) {
      let found: Record<string, unknown> | undefined
      let missing: string | undefined
      for (const column of columns) {
        const value = row[column.name]
        if (value === null || value === undefined) {
          if (!column.isOptional) missing ??= column.name
        } else {
          found ??= {}
          found[column.field] = column.decode === undefined ? value : column.decode(value)
        }
      }
      if (missing !== undefined && (found !== undefined || !isOptional)) throw new UndecodableRow(`${missing} is null`)
      if (found !== undefined) decoded[entity] = found
    }
    return decoded as Row<E>
  }
  return (row) => {
    try {
      return decode(row)
    } catch (cause) {
      const ids = parts.map(({ entity }) => `${entity} ${String(row[`${entity}.id`] ?? "without an id")}`)
      throw new UndecodableRow(`a row of the database can't be read (${ids.join(", ")}): ${String(cause)}`, { cause })
    }
  }
}

/** The rows of the page that is being read: why some can't be decoded, and how many could be before each of these. */
interface PageRows {
  readonly unreadable: Array<{ readonly reason: string; readonly before: number }>
  readable: number
}

const CurrentPage = Context.Reference<PageRows | undefined>("slipway/adapters/sql/CurrentPage", {
  defaultValue: () => undefined
})

/** Decodes each row, or returns `undefined` in its place, and logs it with its id. */
export const decodeEach = <const E extends Entities>(entities: E) => {
  const decode = decoder(entities)
  return (rows: ReadonlyArray<object>): Effect.Effect<ReadonlyArray<Row<E> | undefined>> =>
    Effect.withFiber(({ context }) => {
      const current = Context.get(context, CurrentPage)
      const page: PageRows = current ?? { unreadable: [], readable: 0 }
      const decoded = rows.map((row) => {
        try {
          const one = decode(row as Readonly<Record<string, unknown>>)
          page.readable += 1
          return one
        } catch (error) {
          const reason = error instanceof UndecodableRow ? error.message : String(error)
          page.unreadable.push({ reason, before: page.readable })
          return undefined
        }
      })
      return Effect.as(current === undefined ? logUnreadable(page) : Effect.void, decoded)
    })
}

const logUnreadable = ({ unreadable }: PageRows) =>
  Effect.forEach(unreadable, ({ reason }) => Effect.logError(`A record is left out of a list: ${reason}`), {
    discard: true
  })

/** Decodes the rows of a list to structs of entities. A row that can't be decoded is left out and logged. */
export const decodeRows = <const E extends Entities>(entities: E) => {
  const decode = decodeEach(entities)
  return (rows: ReadonlyArray<object>) => Effect.map(decode(rows), (all) => all.filter((row) => row !== undefined))
}

/** As {@link decodeRows}, of what is only right as a whole. A row that can't be decoded is a defect. */
export const decodeAll = <const E extends Entities>(entities: E) => {
  const decode = decoder(entities)
  return (rows: ReadonlyArray<object>) =>
    Effect.sync(() => rows.map((row) => decode(row as Readonly<Record<string, unknown>>)))
}

/**
 * Reads a page of at most `limit` rows. If some can't be decoded, it is read again with as many more, so that only the end of a list makes
 * a page short. With more than `maxUnreadable` of them, the page is a defect.
 */
export const readFully = <A, E, R>(
  limit: number,
  read: (limit: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const again = (more: number, isExact: boolean): Effect.Effect<A, E, R> => {
    const rows: PageRows = { unreadable: [], readable: 0 }
    return Effect.flatMap(Effect.provideService(read(limit + more), CurrentPage, rows), (page) => {
      const { length } = rows.unreadable
      if (length > maxUnreadable) {
        const first = { ...rows, unreadable: rows.unreadable.slice(0, 10) }
        return Effect.andThen(logUnreadable(first), Effect.die(new UndecodableRow(tooManyUnreadable)))
      }
      if (length > more) return again(isExact ? length : Math.max(length, 2 * more), isExact)
      // The last time was for more than were needed, because it doubled them.
      if (length < more && rows.readable > limit && !isExact) {
        return again(rows.unreadable.filter(({ before }) => before < limit).length, true)
      }
      return Effect.as(logUnreadable(rows), page)
    })
  }
  return Effect.suspend(() => again(0, false))
}

/** As {@link decodeRows}, the first row; `none` where there is no row. */
export const decodeFirst = <const E extends Entities>(entities: E) => {
  const decode = decoder(entities)
  return ([row]: ReadonlyArray<object>) =>
    Effect.sync(() =>
      Option.map(Option.fromUndefinedOr(row), (one) => decode(one as Readonly<Record<string, unknown>>))
    )
}
