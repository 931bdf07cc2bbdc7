import { Effect, Option, Schema } from "effect"
import type { BuildStore, ReservedBuild } from "../../core/ports/BuildStore.ts"
import { decodeAll, decodeFirst, lineDigest } from "./values.ts"
import type { Engine } from "./Engine.ts"
import { keyDigest } from "./repositories.ts"
import { accountForReserve } from "./usage.ts"

/** The reads of builds that every engine does alike, and what its own read of a shown build selects and answers. */
export const buildReads = (engine: Engine) => {
  const { among, columns, entities, lookUp, orUnavailable, sql } = engine
  const forReserve = accountForReserve(engine)
  const { build, repository, reservation } = entities
  const slot = sql.literal(`${columns("repository", "r")}, ${columns("build", "b")}`)
  const full = sql.literal(`${columns("repository", "r")}, ${columns("build", "b")}, ${columns("reservation", "v")}`)
  const oneSlot = decodeFirst({ repository, build: Schema.optionalKey(build) })
  const oneFull = decodeFirst({ repository, build, reservation })
  const someFull = decodeAll({ repository, build, reservation })
  const viewOf = ({ build, repository, reservation }: ReservedBuild) => ({ build, repository, upload: reservation })
  const oneView = (rows: ReadonlyArray<object>) => Effect.map(oneFull(rows), Option.map(viewOf))
  const shown = lookUp((ids, account) =>
    sql`
      SELECT ${full}
      FROM builds b
      JOIN build_reservations v ON v.id = b.current_upload
      JOIN repositories r ON r.id = b.repository_id AND r.linked
      WHERE ${among("b.id", ids)} AND b.account_id = ${account}
    `.pipe(
      Effect.flatMap(someFull),
      Effect.map((rows) => new Map(rows.map((row) => [row.build.id, viewOf(row)]))),
      orUnavailable
    )
  )

  const reads: Pick<BuildStore["Service"], "loadForReserve" | "findByToken" | "findById"> = {
    loadForReserve: (account, key, identity, contents = []) =>
      sql`
        SELECT ${slot}, ${forReserve.columns}
        FROM repositories r
        LEFT JOIN builds b ON b.repository_id = r.id AND b.line_digest = ${lineDigest(identity)}
          AND b.platform = ${identity.platform} AND b.commit_sha = ${identity.commitSha}
        ${forReserve.joined(sql`r.account_id`, contents)}
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
      `.pipe(
        Effect.flatMap((rows) => Effect.all([oneSlot(rows), forReserve.read(rows)])),
        Effect.map(([found, account]) =>
          Option.map(found, (row) => ({
            repository: row.repository,
            build: Option.fromUndefinedOr(row.build),
            ...account
          }))
        ),
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
    findById: (account, id) => shown(id, account)
  }
  return { full, oneView, reads }
}
