import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync } from "node:fs"
import * as pglite from "../../../../adapters/pglite/index.ts"
import { isListening } from "../../admin/socketAddress.ts"
import { dataFolder } from "../../settings/dataFolder.ts"
import { fine, wrong } from "../parts/Finding.ts"
import type { Finding } from "../parts/Finding.ts"
import { saidBy } from "../../faults/networkFault.ts"
import { schemaFinding, stepsDone } from "../postgres/schema.ts"

const name = "PGlite"

/** The folder belongs to one process: to a host that answers, or to another command that is soon over. */
const held = (data: string) =>
  Effect.map(isListening(data), (listening) =>
    fine(name, listening ? "in use by a host, which takes the commands" : "in use by another process just now")
  )

/** Checks the database of a data folder, when there is one and no host has it. Opening it is all that is done. */
export const checkPglite = (data: string): Effect.Effect<Finding> => {
  const { postgres, root } = dataFolder(data)
  const opened = Effect.flatMap(SqlClient.SqlClient, stepsDone).pipe(
    Effect.map((done) => schemaFinding(name, done)),
    Effect.provide(pglite.layer({ dataDir: root })),
    Effect.catchTag("DataFolderInUse", () => held(data))
  )
  // Asked first, as a path that is too long for the socket keeps a host from starting at all.
  return Effect.andThen(
    isListening(data),
    existsSync(postgres) ? opened : Effect.succeed(fine(name, "no database yet; the first start makes it"))
  ).pipe(
    Effect.catch((error) =>
      Effect.succeed(
        wrong(name, {
          detail:
            error._tag === "DataFolderPathTooLong"
              ? error.message.replace(/\.$/, "")
              : `it can't be opened: ${saidBy(error)}`,
          mend:
            error._tag === "DataFolderPathTooLong"
              ? "name another in SLIPWAY_DATA"
              : "put the folder back from a backup"
        })
      )
    )
  )
}
