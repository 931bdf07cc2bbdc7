import { Effect } from "effect"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { runDeletion } from "../sql/deletions.ts"
import type { Engine } from "../sql/Engine.ts"
import { recording } from "../sql/auditLog.ts"
import { posting } from "../sql/outbox.ts"
import { keyDigest } from "../sql/repositories.ts"
import { historyParts } from "../sql/testHistories.ts"
import { testRunParts } from "../sql/testRuns.ts"
import { committed, storeOnce } from "./engine.ts"

export const testRunStore = (engine: Engine) => {
  const { orUnavailable, sql } = engine
  const { insertRun, pageOf, passing, reads, view } = testRunParts(engine)
  const { isCurrent, lockedHistories, storing } = historyParts(engine)
  return TestRunStore.of({
    ...reads,
    ...runDeletion(engine),
    insert: ({ entry, events = [], history, once, run, within }) =>
      committed(sql`
        WITH ${lockedHistories(history)} stored AS (${insertRun(run, within, isCurrent(history, "locked_histories"))})
        ${storing(history)}
        ${storeOnce(sql, once)}
        ${posting(sql, ...events)}
        ${recording(sql, entry)}
        SELECT id FROM stored
      `),
    // The statement is planned each time, because the best index depends on the filters.
    list: ({ account, after, bytes, filter, limit, repository }) =>
      sql`
        SELECT ${view}
        FROM repositories r
        LEFT JOIN LATERAL (
          SELECT * FROM (
            SELECT t.*, sum(metadata_bytes) OVER (ORDER BY t.created_at DESC, t.id DESC) - COALESCE(metadata_bytes, 0) AS bytes_before FROM (
              SELECT * FROM test_runs t WHERE ${passing(filter, after)}
              ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}
            ) t
          ) t WHERE COALESCE(bytes_before, 0) <= ${bytes}
        ) t ON true
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(repository)} AND r.linked
        ORDER BY t.created_at DESC, t.id DESC
      `.unprepared.pipe(Effect.flatMap(pageOf), orUnavailable)
  })
}
