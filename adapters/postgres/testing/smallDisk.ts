import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { onSmallDisk, seenBy } from "../../filesystem/testing/mount.ts"
import { startPostgres } from "./startPostgres.ts"

/**
 * A server with an empty database on a small disk of its own; `makeRoom` frees 1 MiB of it. The server's log is elsewhere,
 * because a server ends when there is no room for that.
 */
export const startOnSmallDisk = async () => {
  let disk = ""
  const server = await startPostgres({
    under: (folder) => {
      disk = join(folder, "small")
      mkdirSync(disk)
      // The server refuses to run as the root that mounts the disk.
      return [...onSmallDisk(14, disk), "unshare", "--user", "--map-user=1000", "--map-group=1000"]
    }
  })
  const statements = [`CREATE TABLESPACE small LOCATION '${disk}'`, "CREATE DATABASE cramped TABLESPACE small"]
  await Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(statements, (one) => sql.unsafe(one))).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(server.url), maxConnections: 1 })),
    Effect.runPromise
  )
  const url = new URL(server.url)
  url.pathname = "/cramped"
  return {
    url: url.href,
    remove: server.remove,
    makeRoom: () => rmSync(seenBy(server.pid(), join(disk, "ballast")))
  }
}
