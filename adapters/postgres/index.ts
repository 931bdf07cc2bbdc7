/**
 * The metadata ports over a `SqlClient` that speaks to a PostgreSQL server.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { portsOf } from "../sql/ports.ts"
import { buildStore, previewStore } from "./builds.ts"
import { engineOn } from "./engine.ts"
import { overviewStore } from "./overview.ts"
import { testRunStore } from "./testRuns.ts"

export { DatabaseUnusable, layerClient } from "./client.ts"
export { layerMigrations, MigrationFailed, OtherSchema } from "./migrations.ts"
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
