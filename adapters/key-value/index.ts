/** Every metadata port on an ordered key-value store with transactions: a store of your own in one small interface. */
import { Context, Layer } from "effect"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { metadataContext } from "../../core/ports/registry.ts"
import { accountStore, idempotencyStore, rateStore, retentionStore } from "./accounts.ts"
import { keyStore, sessionStore } from "./apiKeys.ts"
import { auditLog } from "./auditLog.ts"
import { buildStore, previewStore } from "./builds.ts"
import { erasureStore, metadataSource, metadataTarget } from "./records.ts"
import { runOn, type KeyValueStore } from "./KeyValueStore.ts"
import { splitValues } from "./splitValues.ts"
import { outbox, webhookStore } from "./outbox.ts"
import { overviewStore } from "./overview.ts"
import { quarantineStore } from "./quarantines.ts"
import { objectDeletionStore, reservationStore, usageStore } from "./reservations.ts"
import { sweepStore } from "./sweeps.ts"
import { repositoryStore, trustStore } from "./repositories.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { testHistoryStore } from "./testHistories.ts"
import { testRunStore } from "./testRuns.ts"

export { TransactionConflict } from "./KeyValueStore.ts"
export type { Entry, KeyValueStore, Range, Transaction } from "./KeyValueStore.ts"

/**
 * Every metadata port on `store`, and snapshots of it: these read or store everything in one transaction, from or into memory. What the store rejects with is answered 503, and a log line says why. Values larger than
 * `maxValueBytes` bytes of UTF-8 are stored in parts. It can be changed, but not removed.
 */
export const layerMetadata = (store: KeyValueStore, options: { readonly maxValueBytes?: number | undefined } = {}) => {
  const run = runOn(options.maxValueBytes === undefined ? store : splitValues(store, options.maxValueBytes))
  return Layer.succeedContext(
    metadataContext({
      AccountStore: accountStore(run),
      AuditLog: auditLog(run),
      BuildStore: buildStore(run),
      ErasureStore: erasureStore(run),
      IdempotencyStore: idempotencyStore(run),
      KeyStore: keyStore(run),
      Outbox: outbox(run),
      OverviewStore: overviewStore(run),
      PreviewStore: previewStore(run),
      QuarantineStore: quarantineStore(run),
      RateStore: rateStore(run),
      ObjectDeletionStore: objectDeletionStore(run),
      RepositoryStore: repositoryStore(run),
      ReservationStore: reservationStore(run),
      RetentionStore: retentionStore(run),
      SessionStore: sessionStore(run),
      ShareLinkStore: shareLinkStore(run),
      SweepStore: sweepStore(run),
      TestHistoryStore: testHistoryStore(run),
      TestRunStore: testRunStore(run),
      TrustStore: trustStore(run),
      UsageStore: usageStore(run),
      WebhookStore: webhookStore(run)
    }).pipe(Context.add(MetadataSource, metadataSource(run)), Context.add(MetadataTarget, metadataTarget(run)))
  )
}
