import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { TestRunView } from "../../core/model/TestRun.ts"
import { branchWindow, OverviewStore } from "../../core/ports/OverviewStore.ts"
import { digest } from "./digest.ts"
import { keyDigest } from "./repositories.ts"
import { columns, decodeFirst, decodeRows, entities } from "./rows.ts"
import { orUnavailable } from "./unavailable.ts"

/** How much of a run's name its index holds; see the migration. */
const indexedName = 256

export const overviewStore = (sql: SqlClient.SqlClient) => {
  const { build, repository, reservation, run } = entities
  const fullBuild = sql.literal(
    `${columns("repository", "r")}, ${columns("build", "b")}, ${columns("reservation", "v")}`
  )
  const fullRun = sql.literal(`${columns("repository", "r")}, ${columns("run", "t")}`)
  const reservationColumns = sql.literal(columns("reservation", "v"))
  const allBuilds = decodeRows({ repository, build, reservation })
  const allRuns = decodeRows({ repository, run })
  const allReservations = decodeRows({ reservation })
  const oneRun = decodeFirst({ repository, run })

  const builds = (rows: ReadonlyArray<object>) =>
    Effect.map(allBuilds(rows), (found) =>
      found.map((row) => ({ build: row.build, repository: row.repository, upload: row.reservation }))
    )

  const neighbour = (
    { run: { createdAt, id, name, prompt, repositoryId } }: TestRunView,
    side: "previous" | "next"
  ) => {
    const label = name ?? prompt ?? ""
    const place = sql`(${DateTime.toDateUtc(createdAt)}::timestamptz, ${id})`
    const [beyond, order] =
      side === "previous"
        ? [sql`(t.created_at, t.id) < ${place}`, sql.literal("DESC")]
        : [sql`(t.created_at, t.id) > ${place}`, sql.literal("ASC")]
    return sql`
      SELECT ${fullRun}
      FROM test_runs t
      JOIN repositories r ON r.id = t.repository_id AND r.linked
      WHERE t.repository_id = ${repositoryId}
        AND left(COALESCE(t.name, t.prompt), ${sql.literal(String(indexedName))}) = left(${label}::text, ${sql.literal(String(indexedName))})
        AND COALESCE(t.name, t.prompt) = ${label} AND ${beyond}
      ORDER BY t.created_at ${order}, t.id ${order} LIMIT 1
    `.pipe(Effect.flatMap(oneRun))
  }

  return OverviewStore.of({
    branches: ({ account, limit, repository: key }) =>
      sql`
        SELECT ${fullBuild}
        FROM repositories r
        CROSS JOIN LATERAL (
          SELECT *, row_number() OVER (PARTITION BY branch_digest, platform ORDER BY id DESC) AS place
          FROM (
            SELECT * FROM builds WHERE repository_id = r.id ORDER BY id DESC LIMIT ${branchWindow}
          ) last
        ) b
        JOIN build_reservations v ON v.id = b.shown
        WHERE r.account_id = ${account} AND r.linked AND b.place = 1
          ${key === undefined ? sql.literal("") : sql`AND r.key_digest = ${keyDigest(key)}`}
        ORDER BY b.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(builds), orUnavailable),
    builds: ({ account, after, branch, limit, platform, repository: key }) =>
      sql`
        SELECT ${fullBuild}
        FROM repositories r
        CROSS JOIN LATERAL (
          SELECT * FROM builds WHERE ${sql.and([
            sql`repository_id = r.id`,
            ...(branch === undefined ? [] : [sql`branch_digest = ${digest(branch)}`]),
            ...(platform === undefined ? [] : [sql`platform = ${platform}`]),
            ...(after === undefined ? [] : [sql`id < ${after}`])
          ])}
          ORDER BY id DESC LIMIT ${limit}
        ) b
        JOIN build_reservations v ON v.id = b.shown
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        ORDER BY b.id DESC
      `.unprepared.pipe(Effect.flatMap(builds), orUnavailable),
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
      `.pipe(
        Effect.flatMap(allReservations),
        Effect.map((rows) => rows.map((row) => row.reservation)),
        orUnavailable
      ),
    runs: (account, limit) =>
      sql`
        SELECT ${fullRun}
        FROM repositories r
        CROSS JOIN LATERAL (
          SELECT * FROM test_runs WHERE repository_id = r.id ORDER BY created_at DESC, id DESC LIMIT ${limit}
        ) t
        WHERE r.account_id = ${account} AND r.linked
        ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(allRuns), orUnavailable),
    runsOf: (account, preview, limit) =>
      sql`
        SELECT ${fullRun}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.preview_share_id = ${preview} AND t.account_id = ${account}
        ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(allRuns), orUnavailable),
    neighbours: (account, id) =>
      sql`
        SELECT ${fullRun}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.id = ${id} AND t.account_id = ${account}
      `.pipe(
        Effect.flatMap(oneRun),
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.succeed({ previous: Option.none(), next: Option.none() }),
            onSome: (own) =>
              Effect.all(
                { previous: neighbour(own, "previous"), next: neighbour(own, "next") },
                { concurrency: "unbounded" }
              )
          })
        ),
        orUnavailable
      )
  })
}
