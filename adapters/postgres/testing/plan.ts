import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Recorded } from "../../sql/testing/statements.ts"

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Plans?: ReadonlyArray<Node>
}

const Node: Schema.Codec<Node> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optionalKey(Schema.String),
  "Index Name": Schema.optionalKey(Schema.String),
  "Index Cond": Schema.optionalKey(Schema.String),
  Plans: Schema.optionalKey(Schema.Array(Schema.suspend(() => Node)))
})

const Explained = Schema.Array(Schema.Struct({ "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: Node })]) }))

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

const scans = /^(?:Seq|Sample|Tid.*|Index|Index Only|Bitmap Index) Scan$/

/** What a plan reads: each scan of a table or an index, with the condition that the index looks up. */
const scansOf = (plan: unknown) =>
  Schema.decodeUnknownEffect(Explained)(plan).pipe(
    Effect.map((rows) => rows.flatMap((row) => nodes(row["QUERY PLAN"][0].Plan))),
    Effect.map((all) => all.filter((node) => scans.test(node["Node Type"])))
  )

const explain = (text: string, params: ReadonlyArray<unknown> = []) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, params).unprepared, scansOf)
  )

/** The scans of a statement as planned for its values. */
export const plannedForItsValues = ({ params, sql }: Recorded) => explain(sql, params)

/** The scans of a prepared statement as planned for any values. */
export const plannedForAnyValues = ({ params, sql: text }: Recorded) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql`SET LOCAL plan_cache_mode = force_generic_plan`
      yield* sql.unsafe(`PREPARE explained AS ${text}`).unprepared
      const scans = yield* explain(`EXECUTE explained (${params.map(() => "NULL").join(", ")})`)
      yield* sql`DEALLOCATE explained`
      return scans
    }).pipe(sql.withTransaction)
  )

/** Fails when a scan isn't looked up in an index and so starts at the beginning of a table or an index. */
export const assertLookups = (found: ReadonlyArray<Node>, statement: string): void => {
  for (const scan of found) {
    const where = `${scan["Node Type"]} of ${scan["Index Name"] ?? scan["Relation Name"]}, in ${statement}`
    assert.match(scan["Node Type"], /^(?:Bitmap )?Index/, where)
    assert.isDefined(scan["Index Cond"], `without a condition: ${where}`)
  }
}
