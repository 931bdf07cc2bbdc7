/**
 * Every statement of every call must look its rows up in an index, so that its time doesn't grow with the table. All
 * statements that the calls send are recorded and checked. The planner keeps no statistics, so its plans depend on the
 * statements and the indexes alone.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { layer } from "../../core/testing/layer.ts"
import { callsOn, makeOneOfEach } from "../sql/testing/calls.ts"
import { assertEveryMethod, recording, type Recorded } from "../sql/testing/statements.ts"
import { layer as layerMetadata } from "./index.ts"
import { layerFile } from "./testing/newFile.ts"

/** The statements that may read a table from its beginning. */
const scans: Readonly<Record<string, string>> = {
  "AccountStore.list": "SCAN accounts",
  // The newest CI runs of an account, from an index in its order.
  "TestHistoryStore.searchCiRuns": "SCAN c",
  "WebhookStore.list": "SCAN webhooks",
  // From the end of an index in its order, as many rows as are asked for.
  "WebhookStore.attempts": "SCAN delivery_attempts USING INDEX delivery_attempts_by_time",
  "WebhookStore.expireAttempts": "SCAN delivery_attempts USING COVERING INDEX delivery_attempts_by_time",
  // All accounts that are being erased, from an index that has no others.
  "ErasureStore.list": "SCAN accounts USING INDEX accounts_erased"
}

/**
 * The statements that may sort instead of reading an index in its order: they sort few rows, or as many as the port
 * allows. A claim sorts the first event of each webhook.
 */
const sorts = [
  "Outbox.claim",
  "BuildStore.findLatest",
  "BuildStore.loadForReserve",
  "OverviewStore.branches",
  "PreviewStore.usage",
  "ReservationStore.findForReserve",
  // The branches of one test, and of a bounded number of CI runs.
  "TestHistoryStore.branchesOf",
  "TestHistoryStore.branches",
  // What matches in each repository of an account.
  "TestHistoryStore.searchTests",
  "TestHistoryStore.searchCiRuns"
]

const Plan = Schema.Array(Schema.Struct({ detail: Schema.String }))

const planOf = ({ params, sql: text }: Recorded) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, params).pipe(Effect.flatMap(Schema.decodeUnknownEffect(Plan)))
  )

layer(layerMetadata.pipe(Layer.provideMerge(layerFile)))("every statement of every call", (it) => {
  it.effect("is answered from an index in its order", function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
    const ofATable = new RegExp(`^SCAN (?:${tables.map(({ name }) => name).join("|")}|[a-z])\\b`)
    const calls = yield* callsOn(yield* makeOneOfEach)
    assertEveryMethod(yield* Effect.context<never>(), calls)
    for (const [name, call] of Object.entries<Effect.Effect<unknown, unknown>>(calls)) {
      const method = name.split(",")[0] ?? ""
      const { statements } = yield* recording(call)
      // The time of a process is not asked of the database.
      if (method !== "SweepStore.earlierTime") assert.isAtLeast(statements.length, 1, `statements of ${name}`)
      for (const statement of statements) {
        const details = (yield* planOf(statement)).map(({ detail }) => detail)
        const said = `${name}: ${statement.sql}`
        assert.deepStrictEqual(
          details.filter((detail) => ofATable.test(detail) && detail !== scans[method]),
          [],
          said
        )
        if (!sorts.includes(method)) assert.notInclude(details.join(), "TEMP B-TREE", said)
      }
    }
  })
})
