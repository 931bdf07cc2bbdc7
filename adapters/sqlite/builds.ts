import { DateTime, Effect, Option, Schema } from "effect"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { digest } from "../sql/digest.ts"
import type { Engine } from "../sql/Engine.ts"
import { keyDigest } from "../sql/repositories.ts"
import { decodeFirst } from "../sql/rows.ts"
import { buildCommits } from "./buildCommits.ts"

export const buildStore = (engine: Engine) => {
  const { columns, entities, orUnavailable, sql } = engine
  const { build, repository, reservation } = entities
  const slot = sql.literal(`${columns("repository", "r")}, ${columns("build", "b")}`)
  const full = sql.literal(`${columns("repository", "r")}, ${columns("build", "b")}, ${columns("reservation", "v")}`)
  const oneSlot = decodeFirst({ repository, build: Schema.optionalKey(build) })
  const oneFull = decodeFirst({ repository, build, reservation })
  const oneView = (rows: ReadonlyArray<object>) =>
    Effect.map(
      oneFull(rows),
      Option.map((row) => ({ build: row.build, repository: row.repository, upload: row.reservation }))
    )

  return BuildStore.of({
    loadForReserve: (account, key, { branch, commitSha, platform }) =>
      sql`
        SELECT ${slot}
        FROM repositories r
        LEFT JOIN builds b ON b.repository_id = r.id AND b.branch_digest = ${digest(branch)}
          AND b.platform = ${platform} AND b.commit_sha = ${commitSha}
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
      `.pipe(
        Effect.flatMap(oneSlot),
        Effect.map(Option.map((row) => ({ repository: row.repository, build: Option.fromUndefinedOr(row.build) }))),
        orUnavailable
      ),
    findByToken: (tokenHash) =>
      sql`
        SELECT ${full}
        FROM build_reservations v
        JOIN builds b ON b.id = v.build_id
        JOIN repositories r ON r.id = b.repository_id AND r.linked
        WHERE v.token_hash = ${tokenHash}
      `.pipe(Effect.flatMap(oneFull), orUnavailable),
    findById: (account, id) =>
      sql`
        SELECT ${full}
        FROM builds b
        JOIN build_reservations v ON v.id = b.shown
        JOIN repositories r ON r.id = b.repository_id AND r.linked
        WHERE b.id = ${id} AND b.account_id = ${account}
      `.pipe(Effect.flatMap(oneView), orUnavailable),
    // The rule `latestBuild` in two parts, each answered from the end of an index: builds with a live reservation are
    // ordered by that reservation, and of the others the one whose finalizing reservation is the last counts. (The plus
    // keeps the planner from searching the second part by its end.)
    findLatest: (account, key, branch, platform, now) => {
      const line = sql`repository_id = r.id AND branch_digest = ${digest(branch)} AND platform = ${platform}`
      const at = DateTime.toDateUtc(now)
      return sql`
        SELECT ${full}
        FROM repositories r
        JOIN builds b ON b.id = (
          SELECT id FROM (
            SELECT id, reserved_by AS placed_by FROM builds WHERE ${line} AND reserved_until > ${at}
            UNION ALL
            SELECT id, placed_by FROM (
              SELECT id, ready_by AS placed_by FROM builds WHERE ${line} AND +reserved_until <= ${at}
                AND ready_by IS NOT NULL ORDER BY ready_by DESC LIMIT 1
            )
          )
          ORDER BY placed_by DESC LIMIT 1
        )
        JOIN build_reservations v ON v.id = b.shown
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
      `.pipe(Effect.flatMap(oneView), orUnavailable)
    },
    ...buildCommits(engine)
  })
}
