import { Effect } from "effect"
import { Platform } from "../../core/model/Build.ts"
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
        SELECT ${fullBuild}
        FROM (
          SELECT line.id
          FROM (
            SELECT r.id
            FROM repositories r
            CROSS JOIN LATERAL (SELECT id FROM builds WHERE repository_id = r.id ORDER BY id DESC LIMIT 1) newest
            WHERE r.account_id = ${account} AND r.linked
              ${key === undefined ? sql.literal("") : sql`AND r.key_digest = ${keyDigest(key)}`}
            ORDER BY newest.id DESC LIMIT ${limit}
          ) built
          CROSS JOIN LATERAL (
            SELECT max(id) AS id
            FROM (
              SELECT id, line_digest, platform FROM builds WHERE repository_id = built.id
              ORDER BY id DESC LIMIT ${branchWindow}
            ) latest
            GROUP BY line_digest, platform
          ) line
          ORDER BY line.id DESC LIMIT ${limit}
        ) found
        JOIN builds b ON b.id = found.id
        JOIN repositories r ON r.id = b.repository_id
        JOIN build_reservations v ON v.id = b.current_upload
        ORDER BY b.id DESC
      `.pipe(Effect.flatMap(builds), orUnavailable),
    // Each platform separately, because the index orders builds within a platform, with and without a branch.
    builds: ({ account, after, app, branch, limit, platform, repository: key }) =>
      sql`
        SELECT ${fullBuild}
        FROM repositories r
        CROSS JOIN LATERAL (
          SELECT one.*
          FROM unnest(${platform === undefined ? Platform.literals : [platform]}::text[]) asked
          CROSS JOIN LATERAL (
            SELECT * FROM builds WHERE ${sql.and([
              sql`repository_id = r.id`,
              sql`platform = asked COLLATE "C"`,
              ...(branch === undefined ? [] : [sql`branch_digest = ${digest(branch)}`]),
              ...(app === undefined ? [] : [sql`app = ${app}`]),
              ...(after === undefined ? [] : [sql`id < ${after}`])
            ])}
            ORDER BY id DESC LIMIT ${limit}
          ) one
          ORDER BY one.id DESC LIMIT ${limit}
        ) b
        JOIN build_reservations v ON v.id = b.current_upload
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        ORDER BY b.id DESC
      `.pipe(Effect.flatMap(builds), orUnavailable),
    uploads: (account, id, limit) =>
      sql`
        SELECT ${reservationColumns}
        FROM builds b
        JOIN repositories r ON r.id = b.repository_id AND r.linked
        CROSS JOIN LATERAL (
          SELECT * FROM build_reservations WHERE build_id = b.id ORDER BY id DESC LIMIT ${limit}
        ) v
        WHERE b.id = ${id} AND b.account_id = ${account}
        ORDER BY v.id DESC
      `.pipe(Effect.flatMap(reservations), orUnavailable),
    neighbours: (account, id) =>
      sql`
        SELECT ${runsAround}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        LEFT JOIN LATERAL (
          SELECT * FROM test_runs o WHERE o.test_id = t.test_id AND (o.created_at, o.id) < (t.created_at, t.id)
          ORDER BY o.created_at DESC, o.id DESC LIMIT 1
        ) p ON true
        LEFT JOIN LATERAL (
          SELECT * FROM test_runs o WHERE o.test_id = t.test_id AND (o.created_at, o.id) > (t.created_at, t.id)
          ORDER BY o.created_at, o.id LIMIT 1
        ) n ON true
        WHERE t.id = ${id} AND t.account_id = ${account}
      `.pipe(Effect.flatMap(around), orUnavailable)
  })
}
