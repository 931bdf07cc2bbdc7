import { Effect } from "effect"
import { branchWindow, OverviewStore } from "../../core/ports/OverviewStore.ts"
import { digest } from "../sql/values.ts"
import type { Engine } from "../sql/Engine.ts"
import { overviewParts } from "../sql/overview.ts"
import { keyDigest } from "../sql/repositories.ts"

export const overviewStore = (engine: Engine) => {
  const { orUnavailable, sql } = engine
  const { around, builds, fullBuild, reads, reservationColumns, reservations, runsAround } = overviewParts(engine)

  return OverviewStore.of({
    ...reads,
    // The last builds of all are in the repositories with the latest builds, so only those are read.
    branches: ({ account, limit, repository: key }) =>
      sql`
        WITH built AS (
          SELECT id, (SELECT max(id) FROM builds WHERE repository_id = r.id) AS newest
          FROM repositories r
          WHERE r.account_id = ${account} AND r.linked
            ${key === undefined ? sql.literal("") : sql`AND r.key_digest = ${keyDigest(key)}`}
            AND newest IS NOT NULL
          ORDER BY newest DESC LIMIT ${limit}
        ), line AS (
          SELECT max(b.id) AS id
          FROM built
          JOIN builds b ON b.id IN (
            SELECT id FROM builds WHERE repository_id = built.id ORDER BY id DESC LIMIT ${branchWindow}
          )
          GROUP BY b.repository_id, b.line_digest, b.platform
          ORDER BY 1 DESC LIMIT ${limit}
        )
        SELECT ${fullBuild}
        FROM line
        JOIN builds b ON b.id = line.id
        JOIN repositories r ON r.id = b.repository_id
        JOIN build_reservations v ON v.id = b.current_upload
        ORDER BY b.id DESC
      `.pipe(Effect.flatMap(builds), orUnavailable),
    builds: ({ account, after, app, branch, limit, platform, repository: key }) =>
      sql`
        SELECT ${fullBuild}
        FROM repositories r
        JOIN builds b ON ${sql.and([
          sql`b.repository_id = r.id`,
          ...(branch === undefined ? [] : [sql`b.branch_digest = ${digest(branch)}`]),
          ...(platform === undefined ? [] : [sql`b.platform = ${platform}`]),
          ...(app === undefined ? [] : [sql`b.app = ${app}`]),
          ...(after === undefined ? [] : [sql`b.id < ${after}`])
        ])}
        JOIN build_reservations v ON v.id = b.current_upload
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        ORDER BY b.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(builds), orUnavailable),
    uploads: (account, id, limit) =>
      sql`
        SELECT ${reservationColumns}
        FROM builds b
        JOIN repositories r ON r.id = b.repository_id AND r.linked
        JOIN build_reservations v ON v.build_id = b.id
        WHERE b.id = ${id} AND b.account_id = ${account}
        ORDER BY v.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(reservations), orUnavailable),
    neighbours: (account, id) =>
      sql`
        SELECT ${runsAround}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        LEFT JOIN test_runs p ON p.id = (
          SELECT o.id FROM test_runs o WHERE o.test_id = t.test_id AND (o.created_at, o.id) < (t.created_at, t.id)
          ORDER BY o.created_at DESC, o.id DESC LIMIT 1
        )
        LEFT JOIN test_runs n ON n.id = (
          SELECT o.id FROM test_runs o WHERE o.test_id = t.test_id AND (o.created_at, o.id) > (t.created_at, t.id)
          ORDER BY o.created_at, o.id LIMIT 1
        )
        WHERE t.id = ${id} AND t.account_id = ${account}
      `.pipe(Effect.flatMap(around), orUnavailable)
  })
}
