/**
 * The statements that a version of Slipway sends to the database, kept in `released/<version>.json`. Random values are
 * numbered in order of appearance, so that the same statements make the same file.
 */
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Recorded } from "./recording.ts"

const Value = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.Finite,
  Schema.String,
  Schema.Array(Schema.String),
  Schema.Struct({ time: Schema.DateFromString }),
  Schema.Struct({ bytes: Schema.Uint8ArrayFromHex })
])

/** `schema` is the last step that the version knows. Answers refer to statements by their index. */
const Script = Schema.Struct({
  schema: Schema.Int,
  statements: Schema.Array(Schema.String),
  said: Schema.Array(Schema.Struct({ statement: Schema.Int, values: Schema.Array(Value) }))
})

export type Script = typeof Script.Type

const File = Schema.fromJsonString(Script)

/** Numbers different values from 1. */
const numbering = () => {
  const seen = new Map<string, number>()
  return (thing: string): string => {
    if (!seen.has(thing)) seen.set(thing, seen.size + 1)
    return String(seen.get(thing))
  }
}

/** A script of recorded statements, for a version with the schema up to a step. */
export const scriptOf = (schema: number, recorded: ReadonlyArray<Recorded>): Script => {
  const [nextId, nextCommit, nextDigest] = [numbering(), numbering(), numbering()]
  const named = (text: string): string =>
    text
      .replaceAll(
        /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
        (id) => `00000000-0000-7000-8000-${nextId(id).padStart(12, "0")}`
      )
      .replaceAll(/(?<![\da-f])[\da-f]{40}(?![\da-f])/g, (sha) => nextCommit(sha).padStart(40, "0"))
  const valueOf = (value: unknown) => {
    if (value instanceof Date) return { time: value }
    if (value instanceof Uint8Array) return { bytes: new Uint8Array(32).fill(Number(nextDigest(value.join()))) }
    return typeof value === "string" ? named(value) : Schema.decodeUnknownSync(Schema.toType(Value))(value)
  }
  const texts = recorded.map(({ sql }) => sql.trim().replaceAll(/\s+/g, " "))
  const statements = [...new Set(texts)]
  return {
    schema,
    statements,
    said: recorded.map(({ params }, index) => ({
      statement: statements.indexOf(texts[index] ?? ""),
      values: params.map(valueOf)
    }))
  }
}

/** What is in the file of a script. */
export const fileOf = (script: Script): string =>
  `${JSON.stringify(JSON.parse(Schema.encodeSync(File)(script)), undefined, 1)}\n`

export const readScript = Schema.decodeSync(File)

const paramOf = (value: typeof Value.Type) => {
  if (typeof value !== "object" || value === null) return value
  if ("time" in value) return value.time
  return "bytes" in value ? value.bytes : value
}

/** Runs a script and answers the result of each statement: its rows, or the kind of its failure. */
export const play = ({ said, statements }: Script) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(said, ({ statement, values }) =>
      Effect.map(Effect.result(sql.unsafe(statements[statement] ?? "", values.map(paramOf))), (result) =>
        Result.isSuccess(result) ? result.success : result.failure.reason._tag
      )
    )
  )
