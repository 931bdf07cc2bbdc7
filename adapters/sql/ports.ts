import { metadataContext, type MetadataImplementations } from "../../core/ports/registry.ts"
import { accountStore } from "./accounts.ts"
import { auditLog } from "./auditLog.ts"
import type { Engine } from "./Engine.ts"
import { erasureStore } from "./erasures.ts"
import { idempotencyStore } from "./idempotency.ts"
import { keyStore } from "./keys.ts"
import { outbox } from "./outbox.ts"
import { removalStore } from "./removals.ts"
import { rateStore } from "./rates.ts"
import { retentionStore } from "./retention.ts"
import { sweepStore } from "./sweeps.ts"
import { repositoryStore } from "./repositories.ts"
import { reservationStore } from "./reservations.ts"
import { sessionStore } from "./sessions.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { testHistoryStore } from "./testHistories.ts"
import { trustStore } from "./trusts.ts"
import { usageStore } from "./usage.ts"
import { webhookStore } from "./webhooks.ts"

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
    RateStore: rateStore(engine),
    RemovalStore: removalStore(engine),
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
