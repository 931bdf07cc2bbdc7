import { metadataContext, type MetadataImplementations } from "../../core/ports/registry.ts"
import { accountStore, idempotencyStore, rateStore, retentionStore } from "./accounts.ts"
import { auditLog } from "./auditLog.ts"
import type { Engine } from "./Engine.ts"
import { quarantineStore } from "./quarantines.ts"
import { erasureStore } from "./deletions.ts"
import { keyStore, sessionStore } from "./keys.ts"
import { outbox, webhookStore } from "./outbox.ts"
import { objectDeletionStore } from "./hostedObjects.ts"
import { sweepStore } from "./sweeps.ts"
import { repositoryStore, trustStore } from "./repositories.ts"
import { reservationStore, usageStore } from "./usage.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { testHistoryStore } from "./testHistories.ts"

/** Every metadata port on an engine: the shared ones, and those that the engine implements itself. */
export const portsOf = (
  engine: Engine,
  own: Pick<MetadataImplementations, "BuildStore" | "OverviewStore" | "PreviewStore" | "TestRunStore">
) =>
  metadataContext({
    ...own,
    AccountStore: accountStore(engine),
    AuditLog: auditLog(engine),
    ErasureStore: erasureStore(engine),
    IdempotencyStore: idempotencyStore(engine),
    KeyStore: keyStore(engine),
    Outbox: outbox(engine),
    QuarantineStore: quarantineStore(engine),
    RateStore: rateStore(engine),
    ObjectDeletionStore: objectDeletionStore(engine),
    RepositoryStore: repositoryStore(engine),
    ReservationStore: reservationStore(engine),
    RetentionStore: retentionStore(engine),
    SessionStore: sessionStore(engine),
    ShareLinkStore: shareLinkStore(engine),
    SweepStore: sweepStore(engine),
    TestHistoryStore: testHistoryStore(engine),
    TrustStore: trustStore(engine),
    UsageStore: usageStore(engine),
    WebhookStore: webhookStore(engine)
  })
