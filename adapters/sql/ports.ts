import { Context } from "effect"
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
import { reservationStore } from "./openReservations.ts"
import { sessionStore } from "./sessions.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { trustStore } from "./trusts.ts"
import { usageStore } from "./usage.ts"
import { webhookStore } from "./webhooks.ts"

/** Every metadata port on an engine: the shared ones, and those that the engine implements itself. */
export const portsOf = (
  engine: Engine,
  own: {
    readonly builds: BuildStore["Service"]
    readonly previews: PreviewStore["Service"]
    readonly runs: TestRunStore["Service"]
    readonly overview: OverviewStore["Service"]
  }
) =>
  Context.make(AccountStore, accountStore(engine)).pipe(
    Context.add(KeyStore, keyStore(engine)),
    Context.add(RepositoryStore, repositoryStore(engine)),
    Context.add(BuildStore, own.builds),
    Context.add(PreviewStore, own.previews),
    Context.add(TestRunStore, own.runs),
    Context.add(IdempotencyStore, idempotencyStore(engine)),
    Context.add(RemovalStore, removalStore(engine)),
    Context.add(RetentionStore, retentionStore(engine)),
    Context.add(SweepStore, sweepStore(engine)),
    Context.add(ReservationStore, reservationStore(engine)),
    Context.add(ShareLinkStore, shareLinkStore(engine)),
    Context.add(SessionStore, sessionStore(engine)),
    Context.add(OverviewStore, own.overview),
    Context.add(TrustStore, trustStore(engine)),
    Context.add(RateStore, rateStore(engine)),
    Context.add(UsageStore, usageStore(engine)),
    Context.add(Outbox, outbox(engine)),
    Context.add(WebhookStore, webhookStore(engine)),
    Context.add(AuditLog, auditLog(engine)),
    Context.add(ErasureStore, erasureStore(engine))
  )
