/** A list with two filters, of which no run or few pass both, among a million runs. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { layer } from "../../core/testing/layer.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { TestRunStore, type RunFilter } from "../../core/ports/TestRunStore.ts"
import { makeOneOfEach } from "../sql/testing/calls.ts"
import { recording } from "../sql/testing/statements.ts"
import { layer as layerMetadata } from "./index.ts"
import { layerFile } from "./testing/newFile.ts"
import { runsPerStatement } from "./testRuns.ts"

const runs = 1_000_000
/** Of which only these, among the oldest, are of both. */
const both = [500, 501, 502]

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, repository, run } = yield* makeOneOfEach
  yield* sql`
    INSERT INTO test_runs (id, account_id, repository_id, test_id, preview_share_id, kind, status, created_at)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${runs})
    SELECT printf('r%07d', n), account_id, repository_id, test_id, preview_share_id,
      CASE WHEN n % 2 = 0 OR n IN ${sql.in(both)} THEN 'detox' ELSE 'maestro' END,
      CASE WHEN n % 2 = 1 OR n IN ${sql.in(both)} THEN 'failed' ELSE 'passed' END, created_at - 1000 * (${runs} - n)
    FROM test_runs, numbers WHERE id = ${run.id}
  `
  return { account: account.id, repository: repositoryKey(repository.owner, repository.repo) }
})

/** The details of a statement's plan that look at test runs. */
const planOf = Effect.fnUntraced(function* (text: string, params: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
  return rows.map(({ detail }) => detail).join("; ")
})

layer(layerMetadata.pipe(Layer.provideMerge(layerFile)))("a million runs", (it) => {
  it.effect("are searched in steps, between which the process handles other work", function* () {
    const asked = yield* fill
    const store = yield* TestRunStore
    const list = (filter: RunFilter, limit: number) =>
      store.list({ ...asked, filter, after: Option.none(), limit, bytes: 2 ** 53 }).pipe(
        Effect.map(Option.getOrElse(() => [])),
        Effect.map((found) => found.map(({ run }) => String(run.id)))
      )
    // What else the process has to do runs in the turns of its event loop.
    let turns = 0
    const count = () => {
      turns += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const { answer, statements } = yield* recording(list({ kind: "detox", status: "failed" }, 100))
    clearImmediate(counting)
    assert.deepStrictEqual(answer, ["r0000502", "r0000501", "r0000500"])

    // Half of the runs failed. A step is one statement that finds its end in the index, and one that looks at its runs; where it finds
    // some, another one reads them.
    const steps = Math.ceil((runs / 2 + 2) / runsPerStatement)
    assert.isAtMost(statements.length, 1 + 2 * steps + 1)
    assert.isAtLeast(turns, steps - 1)
    const [ends, looks] = statements.slice(3, 5)
    const endPlan = yield* planOf(ends?.sql ?? "", ends?.params ?? [])
    assert.match(endPlan, /^SEARCH t USING COVERING INDEX test_runs_by_status \(repository_id=\? AND status=\? AND /)
    const lookPlan = yield* planOf(looks?.sql ?? "", looks?.params ?? [])
    assert.match(lookPlan, /^SEARCH t USING INDEX test_runs_by_status \(repository_id=\? AND status=\? AND .*>.*<.*\)$/)

    assert.deepStrictEqual(yield* list({ kind: "detox", status: "failed" }, 2), ["r0000502", "r0000501"])
    assert.lengthOf((yield* recording(list({ status: "failed" }, 100))).statements, 3)
  })
})
