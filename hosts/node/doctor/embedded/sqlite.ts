import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync } from "node:fs"
import * as sqlite from "../../../../adapters/sqlite/index.ts"
import { isListening } from "../../admin/socketAddress.ts"
import { metadataFile, type DataLocation } from "../../engines/sqlite.ts"
import { firstCauseOf } from "../../engineErrors/networkFault.ts"
import { fine, wrong, type Finding } from "../parts/Finding.ts"
import { schemaFinding } from "../parts/schema.ts"

const name = "SQLite"

/** Reads the whole file. Works also while a host has it open. */
const examine = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [said] = yield* sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`
  return said?.quick_check === "ok"
    ? schemaFinding(name, yield* sqlite.stepsDone, sqlite.steps)
    : wrong(name, { detail: `it is damaged: ${said?.quick_check}`, hint: "restore it from a backup" })
})

/** Checks the SQLite file, if there is one. */
export const checkSqlite = (place: DataLocation): Effect.Effect<Finding> => {
  const file = metadataFile(place)
  return Effect.gen(function* () {
    // Checked first, because a path too long for the socket keeps a host from starting at all.
    const listening = yield* isListening(place.data)
    if (!existsSync(file)) return fine(name, "no database yet; the first start makes it")
    const finding = yield* Effect.provide(examine, sqlite.layerReader({ file })).pipe(
      Effect.catchTag("SqlError", (error) => Effect.fail(sqlite.unusable(file, firstCauseOf(error))))
    )
    return listening && finding.ok
      ? fine(name, `${finding.detail}; in use by a host, which takes the commands`)
      : finding
  }).pipe(
    Effect.catchTags({
      DataFolderPathTooLong: (error) =>
        Effect.succeed(wrong(name, { detail: error.message.replace(/\.$/, ""), hint: "name another in SLIPWAY_DATA" })),
      DatabaseFileUnusable: ({ detail, hint }) => Effect.succeed(wrong(name, { detail, hint }))
    })
  )
}
