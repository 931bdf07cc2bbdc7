/** Every metadata port on an ordered key-value store with transactions: a store of your own in one small interface. */
import { Context, Layer } from "effect"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import { RateStore } from "../../core/ports/RateStore.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { accountStore } from "./accounts.ts"
import { keyStore } from "./apiKeys.ts"
import { auditLog } from "./auditLog.ts"
import { buildStore } from "./builds.ts"
import { erasureStore } from "./erasures.ts"
import { idempotencyStore } from "./idempotency.ts"
import type { KeyValueStore } from "./KeyValueStore.ts"
import { outbox } from "./outbox.ts"
import { overviewStore } from "./overview.ts"
import { previewStore } from "./previews.ts"
import { removalStore } from "./removals.ts"
import { rateStore } from "./rates.ts"
import { retentionStore } from "./retention.ts"
import { sweepStore } from "./sweeps.ts"
import { repositoryStore } from "./repositories.ts"
import { reservationStore } from "./reservations.ts"
import { runOn } from "./run.ts"
import { sessionStore } from "./sessions.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { testRunStore } from "./testRuns.ts"
import { trustStore } from "./trusts.ts"
import { usageStore } from "./usage.ts"
import { webhookStore } from "./webhooks.ts"

export type { Entry, KeyValueStore, Range, Transaction } from "./KeyValueStore.ts"

/** Every metadata port on `store`. What the store rejects with is answered 503, and a log line says why. */
export const layerMetadata = (store: KeyValueStore) => {
  const run = runOn(store)
  return Layer.succeedContext(
    Context.make(AccountStore, accountStore(run)).pipe(
      Context.add(KeyStore, keyStore(run)),
      Context.add(RepositoryStore, repositoryStore(run)),
      Context.add(BuildStore, buildStore(run)),
      Context.add(PreviewStore, previewStore(run)),
      Context.add(TestRunStore, testRunStore(run)),
      Context.add(IdempotencyStore, idempotencyStore(run)),
      Context.add(RemovalStore, removalStore(run)),
      Context.add(RetentionStore, retentionStore(run)),
      Context.add(SweepStore, sweepStore(run)),
      Context.add(ReservationStore, reservationStore(run)),
      Context.add(ShareLinkStore, shareLinkStore(run)),
      Context.add(SessionStore, sessionStore(run)),
      Context.add(OverviewStore, overviewStore(run)),
      Context.add(TrustStore, trustStore(run)),
      Context.add(RateStore, rateStore(run)),
      Context.add(UsageStore, usageStore(run)),
      Context.add(Outbox, outbox(run)),
      Context.add(WebhookStore, webhookStore(run)),
      Context.add(AuditLog, auditLog(run)),
      Context.add(ErasureStore, erasureStore(run))
    )
  )
}
