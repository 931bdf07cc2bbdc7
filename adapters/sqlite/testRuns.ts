import { Effect } from "effect"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { Engine } from "../sql/Engine.ts"
import { keyDigest } from "../sql/repositories.ts"
import { testRunParts } from "../sql/testRuns.ts"
import { keep } from "./commits.ts"

export const testRunStore = (engine: Engine) => {
  const { inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { insertRun, pageOf, passing, reads, view } = testRunParts(engine)
  return TestRunStore.of({
    ...reads,
    insert: ({ once, run }) =>
      insertRun(run).pipe(Effect.andThen(keep(engine, once)), inTransaction, Effect.asVoid, orWriteFailure),
    list: ({ account, after, filter, limit, repository }) =>
      sql`
        SELECT ${view}
        FROM repositories r
        LEFT JOIN test_runs t ON ${passing(filter, after)}
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(repository)} AND r.linked
        ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(pageOf), orUnavailable)
  })
}
