import { describe } from "@effect/vitest"
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
import { removalStoreCases } from "./removalStore.ts"
import { rateStoreCases } from "./rateStore.ts"
import { repositoryStoreCases } from "./repositoryStore.ts"
import { reservationStoreCases } from "./reservationStore.ts"
import { sessionStoreCases } from "./sessionStore.ts"
import { retentionStoreCases } from "./retentionStore.ts"
import { sweepStoreCases } from "./sweepStore.ts"
import { shareLinkStoreCases } from "./shareLinkStore.ts"
import type { MetadataPorts } from "./parts/MetadataPorts.ts"
import { suite, type Adapter } from "./parts/suite.ts"
import { testRunStoreCases } from "./testRunStore.ts"
import { trustStoreCases } from "./trustStore.ts"
import { usageStoreCases } from "./usageStore.ts"
import { webhookStoreCases } from "./webhookStore.ts"

export const metadataSuite = <S = never>(name: string, adapter: Adapter<MetadataPorts, S>): void =>
  suite(`metadata on ${name}`, adapter, (it) => {
    describe("AccountStore", () => accountStoreCases(it))
    describe("KeyStore", () => keyStoreCases(it))
    describe("RepositoryStore", () => repositoryStoreCases(it))
    describe("BuildStore", () => buildStoreCases(it))
    describe("PreviewStore", () => previewStoreCases(it))
    describe("TestRunStore", () => testRunStoreCases(it))
    describe("IdempotencyStore", () => idempotencyCases(it))
    describe("ReservationStore", () => reservationStoreCases(it))
    describe("ShareLinkStore", () => shareLinkStoreCases(it))
    describe("SessionStore", () => sessionStoreCases(it))
    describe("OverviewStore", () => overviewStoreCases(it))
    describe("RetentionStore", () => retentionStoreCases(it))
    describe("SweepStore", () => sweepStoreCases(it))
    describe("TrustStore", () => trustStoreCases(it))
    describe("Deletion", () => deletionCases(it))
    describe("RemovalStore", () => removalStoreCases(it))
    describe("RateStore", () => rateStoreCases(it))
    describe("UsageStore", () => usageStoreCases(it))
    describe("Outbox", () => outboxCases(it))
    describe("WebhookStore", () => webhookStoreCases(it))
    describe("AuditLog", () => auditLogCases(it))
    describe("ErasureStore", () => erasureStoreCases(it))
  })
