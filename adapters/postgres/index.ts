/**
 * The metadata ports over a `SqlClient` that speaks to PostgreSQL: a server, or the embedded one of `adapters/pglite`.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { accountStore } from "./accounts.ts"
import { buildStore } from "./builds.ts"
import { keyStore } from "./keys.ts"
import { repositoryStore } from "./repositories.ts"

export { layerMigrations } from "./migrations.ts"

/** Every metadata port. The database has to be at the schema that `layerMigrations` brings it to. */
export const layer = Layer.effectContext(
  Effect.map(SqlClient.SqlClient, (sql) =>
    Context.make(AccountStore, accountStore(sql)).pipe(
      Context.add(KeyStore, keyStore(sql)),
      Context.add(RepositoryStore, repositoryStore(sql)),
      Context.add(BuildStore, buildStore(sql))
    )
  )
)
