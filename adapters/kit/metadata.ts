import { accountStoreCases } from "./accountStore.ts"
import { auditLogCases } from "./auditLog.ts"
import { buildStoreCases } from "./buildStore.ts"
import { deletionCases } from "./deletions.ts"
import { erasureStoreCases } from "./erasureStore.ts"
import { idempotencyCases } from "./idempotency.ts"
import { keyStoreCases } from "./keyStore.ts"
import { outboxCases } from "./outbox.ts"
import { overviewStoreCases } from "./overviewStore.ts"
import { previewStoreCases } from "./previewStore.ts"
import { quarantineStoreCases } from "./quarantineStore.ts"
import { objectDeletionStoreCases } from "./objectDeletionStore.ts"
import { rateStoreCases } from "./rateStore.ts"
import { repositoryStoreCases } from "./repositoryStore.ts"
import { reservationStoreCases } from "./reservationStore.ts"
import { sessionStoreCases } from "./sessionStore.ts"
import { retentionStoreCases } from "./retentionStore.ts"
import { sweepStoreCases } from "./sweepStore.ts"
import { shareLinkStoreCases } from "./shareLinkStore.ts"
import type { MetadataPortName, MetadataPorts } from "../../core/ports/registry.ts"
import { suite, type Adapter, type Cases } from "./parts/suite.ts"
import { testHistoryStoreCases } from "./testHistoryStore.ts"
import { testRunStoreCases } from "./testRunStore.ts"
import { trustStoreCases } from "./trustStore.ts"
import { unreadableCases } from "./unreadable.ts"
import { usageStoreCases } from "./usageStore.ts"
import { webhookStoreCases } from "./webhookStore.ts"

/** The cases of each port, and those which all of them take part in. */
export const casesOf: Readonly<
  Record<MetadataPortName | "Deletion" | "Unreadable records", (it: Cases<MetadataPorts>) => void>
> = {
  AccountStore: accountStoreCases,
  AuditLog: auditLogCases,
  BuildStore: buildStoreCases,
  Deletion: deletionCases,
  ErasureStore: erasureStoreCases,
  IdempotencyStore: idempotencyCases,
  KeyStore: keyStoreCases,
  Outbox: outboxCases,
  OverviewStore: overviewStoreCases,
  PreviewStore: previewStoreCases,
  QuarantineStore: quarantineStoreCases,
  RateStore: rateStoreCases,
  ObjectDeletionStore: objectDeletionStoreCases,
  RepositoryStore: repositoryStoreCases,
  ReservationStore: reservationStoreCases,
  RetentionStore: retentionStoreCases,
  SessionStore: sessionStoreCases,
  ShareLinkStore: shareLinkStoreCases,
  SweepStore: sweepStoreCases,
  TestHistoryStore: testHistoryStoreCases,
  TestRunStore: testRunStoreCases,
  TrustStore: trustStoreCases,
  "Unreadable records": unreadableCases,
  UsageStore: usageStoreCases,
  WebhookStore: webhookStoreCases
}

/**
 * The cases of every metadata port, or only those of `ports`, while you write them one by one:
 * `metadataSuite("my database", Layer.merge(memory.layerMetadata, accounts), { ports: ["AccountStore"] })`.
 */
export const metadataSuite = <S = never>(
  name: string,
  adapter: Adapter<MetadataPorts, S>,
  options: { readonly ports?: ReadonlyArray<keyof typeof casesOf> } = {}
): void =>
  suite(`metadata on ${name}`, adapter, (it) => {
    for (const [port, cases] of Object.entries(casesOf)) {
      if (options.ports?.some((one) => one === port) ?? true) it.section(port, () => cases(it))
    }
  })
