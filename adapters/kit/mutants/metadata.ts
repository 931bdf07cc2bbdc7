import { Layer } from "effect"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { accountMutants } from "./accounts.ts"
import { auditLogMutants } from "./auditLog.ts"
import { buildCommitMutants } from "./buildCommits.ts"
import { buildReadMutants } from "./buildReads.ts"
import { deletionMutants } from "./deletions.ts"
import { erasureMutants } from "./erasures.ts"
import { idempotencyMutants } from "./idempotency.ts"
import { keyMutants } from "./keys.ts"
import { toMutants, type Mutant } from "./Mutant.ts"
import { outboxMutants } from "./outbox.ts"
import { overviewMutants } from "./overview.ts"
import { previewMutants } from "./previews.ts"
import { removalMutants } from "./removals.ts"
import { rateMutants } from "./rates.ts"
import { repositoryMutants } from "./repositories.ts"
import { reservationMutants } from "./reservations.ts"
import { sessionMutants } from "./sessions.ts"
import { shareLinkMutants } from "./shareLinks.ts"
import { retentionMutants, sweepMutants } from "./sweeps.ts"
import { testHistoryMutants } from "./testHistories.ts"
import { testRunMutants } from "./testRuns.ts"
import { trustMutants } from "./trusts.ts"
import type { SharedMemory } from "./twoHosts.ts"
import { usageMutants } from "./usage.ts"
import { webhookMutants } from "./webhooks.ts"

/** Adapters of the metadata ports with one fault each. */
export const metadataMutants: ReadonlyArray<Mutant<MetadataPorts, SharedMemory>> = [
  ...toMutants("AccountStore > ", accountMutants),
  ...toMutants("KeyStore > ", keyMutants),
  ...toMutants("RepositoryStore > ", repositoryMutants),
  ...toMutants("BuildStore > ", buildReadMutants),
  ...toMutants("BuildStore > commits > ", buildCommitMutants),
  ...toMutants("PreviewStore > ", previewMutants),
  ...toMutants("TestHistoryStore > ", testHistoryMutants),
  ...toMutants("TestRunStore > ", testRunMutants),
  ...toMutants("IdempotencyStore > ", idempotencyMutants),
  ...toMutants("ReservationStore > ", reservationMutants),
  ...toMutants("ShareLinkStore > ", shareLinkMutants),
  ...toMutants("SessionStore > ", sessionMutants),
  ...toMutants("OverviewStore > ", overviewMutants),
  ...toMutants("RetentionStore > ", retentionMutants),
  ...toMutants("SweepStore > ", sweepMutants),
  ...toMutants("TrustStore > ", trustMutants),
  ...toMutants("Deletion > ", deletionMutants),
  ...toMutants("RemovalStore > ", removalMutants),
  ...toMutants("RateStore > ", rateMutants),
  ...toMutants("UsageStore > ", usageMutants),
  ...toMutants("Outbox > ", outboxMutants),
  ...toMutants("WebhookStore > ", webhookMutants),
  ...toMutants("AuditLog > ", auditLogMutants),
  ...toMutants("ErasureStore > ", erasureMutants)
]

/** Faults that are none on SQLite: it keeps an id by itself, loses no turn between two calls, and fails at its own statements. */
const hiddenBySqlite = new Set([
  "gives a repository that is linked once more a new id",
  "finalizes without a transaction",
  "loses concurrent additions",
  "compares the version of a deletion a moment before it deletes"
])

/** Those that are found on SQLite too: they alter one sound adapter, where the others are made of two hosts on one memory. */
export const metadataMutantsOnSqlite = metadataMutants.filter(
  ({ adapter, fault }) => Layer.isLayer(adapter) && !hiddenBySqlite.has(fault)
)
