import { DateTime, Effect, Option, Schema } from "effect"
import type { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { noTestRun } from "./baseline.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst, decodeRows, nextTurn } from "./values.ts"
import { keyDigest } from "./repositories.ts"

/** The overviews that every engine reads alike, and the parts that its own statements are made of. */
export const overviewParts = ({ columns, entities, orUnavailable, sql }: Engine) => {
  const { build, preview, repository, reservation, run } = entities
  const fullBuild = sql.literal(
    `${columns("repository", "r")}, ${columns("build", "b")}, ${columns("reservation", "v")}`
  )
  const fullRun = sql.literal(`${columns("repository", "r")}, ${columns("run", "t")}`)
  const runsAround = sql.literal(
    `${columns("repository", "r")}, ${columns("run", "p", "previous")}, ${columns("run", "n", "next")}`
  )
  const reservationColumns = sql.literal(columns("reservation", "v"))
  const previewColumns = sql.literal(columns("preview", "p"))
  const allPreviews = decodeRows({ preview })
  const allBuilds = decodeRows({ repository, build, reservation })
  const allRuns = decodeRows({ repository, run })
  const allReservations = decodeRows({ reservation })
  const oneAround = decodeFirst({ repository, previous: Schema.optionalKey(run), next: Schema.optionalKey(run) })
  const oneCount = decodeFirst({ billed: Schema.Struct({ count: Schema.Int }) })

  const builds = (rows: ReadonlyArray<object>) =>
    Effect.map(allBuilds(rows), (found) =>
      found.map((row) => ({ build: row.build, repository: row.repository, upload: row.reservation }))
    )

  const reservations = (rows: ReadonlyArray<object>) =>
    Effect.map(allReservations(rows), (found) => found.map((row) => row.reservation))

  const around = (rows: ReadonlyArray<object>) =>
    Effect.map(oneAround(rows), (found) => {
      const side = (name: "previous" | "next") =>
        Option.flatMap(found, ({ [name]: run, repository }) =>
          run === undefined ? Option.none() : Option.some({ run, repository })
        )
      return { previous: side("previous"), next: side("next") }
    })

  const reads: Pick<OverviewStore["Service"], "runsOf" | "previews" | "billedSince"> = {
    previews: ({ account, after, isTestRun, limit, repository }) =>
      sql`
        SELECT ${previewColumns} FROM previews p
        WHERE ${sql.and([
          sql`p.repository_id = (
            SELECT id FROM repositories WHERE account_id = ${account} AND key_digest = ${keyDigest(repository)} AND linked
          )`,
          sql.literal("p.finalized_at IS NOT NULL"),
          ...(isTestRun === undefined ? [] : [sql.literal(noTestRun("p.declaration"))]),
          ...(after === undefined ? [] : [sql`p.id < ${after}`])
        ])}
        ORDER BY p.id DESC LIMIT ${limit}
      `.pipe(
        // A turn for each, because each may declare thousands of files.
        Effect.flatMap((rows) => Effect.forEach(rows, (row) => Effect.andThen(nextTurn, allPreviews([row])))),
        Effect.map((found) => found.flatMap((rows) => rows.map(({ preview }) => preview))),
        orUnavailable
      ),
    runsOf: (account, preview, limit) =>
      sql`
        SELECT ${fullRun}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.preview_share_id = ${preview} AND t.account_id = ${account}
        ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(allRuns), orUnavailable),
    billedSince: (account, from) =>
      sql`
        SELECT CAST(count(*) AS integer) AS "billed.count" FROM billed_test_runs
        WHERE account_id = ${account} AND billed_at >= ${DateTime.toDateUtc(from)}
      `.pipe(
        Effect.flatMap(oneCount),
        Effect.map((row) => Option.getOrThrow(row).billed.count),
        orUnavailable
      )
  }
  return { fullBuild, runsAround, reservationColumns, builds, reservations, around, reads }
}
