/**
 * The metadata ports on a SQLite database file in the host's process: the default of a host without a database server.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { portsOf } from "../sql/ports.ts"
import { buildStore, previewStore } from "./builds.ts"
import { engineOn } from "./engine.ts"
import { overviewStore } from "./overview.ts"
import { testRunStore } from "./testRuns.ts"

export { layerClient } from "./engine.ts"
export { DatabaseFileUnusable, DatabaseInUse } from "./failures.ts"
export { layerMigrations } from "./migrations.ts"
export { layerSource, layerTarget } from "./snapshot.ts"

/** Every metadata port. The database has to be at the schema that `layerMigrations` brings it to. */
export const layer = Layer.effectContext(
  Effect.map(SqlClient.SqlClient, (sql) => {
    const engine = engineOn(sql)
    return portsOf(engine, {
      BuildStore: buildStore(engine),
      PreviewStore: previewStore(engine),
      TestRunStore: testRunStore(engine),
      OverviewStore: overviewStore(engine)
    })
  })
)
