/**
 * The metadata ports over a `SqlClient` that speaks to PostgreSQL: a server, or the embedded one of `adapters/pglite`.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { accountStore } from "./accounts.ts"
import { buildStore } from "./builds.ts"
import { idempotencyStore } from "./idempotency.ts"
import { keyStore } from "./keys.ts"
import { overviewStore } from "./overview.ts"
import { previewStore } from "./previews.ts"
import { repositoryStore } from "./repositories.ts"
import { reservationStore } from "./reservations.ts"
import { sessionStore } from "./sessions.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { testRunStore } from "./testRuns.ts"

export { DatabaseUnusable, layerClient } from "./client.ts"
export { MigrationFailed } from "./migrate.ts"
export type { Step } from "./migrate.ts"
export { layerMigrations, steps } from "./migrations.ts"

/** Every metadata port. The database has to be at the schema that `layerMigrations` brings it to. */
export const layer = Layer.effectContext(
  Effect.map(SqlClient.SqlClient, (sql) =>
    Context.make(AccountStore, accountStore(sql)).pipe(
      Context.add(KeyStore, keyStore(sql)),
      Context.add(RepositoryStore, repositoryStore(sql)),
      Context.add(BuildStore, buildStore(sql)),
      Context.add(PreviewStore, previewStore(sql)),
      Context.add(TestRunStore, testRunStore(sql)),
      Context.add(IdempotencyStore, idempotencyStore(sql)),
      Context.add(ReservationStore, reservationStore(sql)),
      Context.add(ShareLinkStore, shareLinkStore(sql)),
      Context.add(SessionStore, sessionStore(sql)),
      Context.add(OverviewStore, overviewStore(sql))
    )
  )
)
