import { DateTime, Effect } from "effect"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { buildReads } from "../sql/builds.ts"
import { buildDeletion } from "../sql/deletions.ts"
import { digest, lineDigest } from "../sql/digest.ts"
import type { Engine } from "../sql/Engine.ts"
import { keyDigest } from "../sql/repositories.ts"
import { buildCommits } from "./buildCommits.ts"

export const buildStore = (engine: Engine) => {
  const { orUnavailable, sql } = engine
  const { full, oneView, reads } = buildReads(engine)

  return BuildStore.of({
    ...reads,
    // The rule `latestBuild` in two parts, each answered from the end of an index: builds with a live reservation are
    // ordered by that reservation, and of the others the one whose finalizing reservation is the last counts.
    findLatest: (account, key, branch, platform, now, app) => {
      const line = sql.and([
        sql`repository_id = r.id AND branch_digest = ${digest(branch)} AND platform = ${platform}`,
        ...(app === undefined ? [] : [sql`line_digest = ${lineDigest({ branch, app })}`])
      ])
      const at = DateTime.toDateUtc(now)
      return sql`
        SELECT ${full}
        FROM repositories r
        CROSS JOIN LATERAL (
          SELECT * FROM (
            (SELECT *, reserved_by AS placed_by FROM builds WHERE ${line} AND reserved_until > ${at})
            UNION ALL
            (SELECT *, ready_by AS placed_by FROM builds WHERE ${line} AND reserved_until <= ${at}
              AND ready_by IS NOT NULL ORDER BY ready_by DESC LIMIT 1)
          ) counting
          ORDER BY placed_by DESC LIMIT 1
        ) b
        JOIN build_reservations v ON v.id = b.current_upload
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
      `.pipe(Effect.flatMap(oneView), orUnavailable)
    },
    ...buildCommits(engine),
    ...buildDeletion(engine)
  })
}
