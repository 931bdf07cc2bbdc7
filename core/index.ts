/**
 * The public exports of the core, which does no I/O itself: the HTTP interface, the services, the ports that they need, and the model.
 * Rules are internal, except those that the contracts of ports name.
 */

// The HTTP interface.
export { Api } from "./api/Api.ts"
export { Authentication } from "./api/parts/Authentication.ts"
export { NotAcceptable, UnsupportedMediaType } from "./api/parts/Negotiation.ts"
export { BuildsRequest, FinalizeBuildRequest, ReserveBuildRequest } from "./api/builds/requests.ts"
export { BuildRow, ReserveBuildResponse } from "./api/builds/responses.ts"
export { FinalizePreviewRequest, ReservePreviewRequest } from "./api/previews/requests.ts"
export { PreviewMetadata, ReservePreviewResponse } from "./api/previews/responses.ts"
export { RegisterTestRunRequest } from "./api/testRuns/requests.ts"
export { TestRunList, TestRunRecord } from "./api/testRuns/responses.ts"
export { CreateShareLinkRequest } from "./api/shareLinks/requests.ts"
export { CreateShareLinkResponse, ShareLinkList, ShareLinkRecord } from "./api/shareLinks/responses.ts"

// The services.
export { layer } from "./layer.ts"
export type { Services } from "./layer.ts"
export { metadataContext, metadataPorts, ports } from "./ports/registry.ts"
export type { MetadataImplementations, MetadataPorts, Ports } from "./ports/registry.ts"
export { Administration } from "./service/administration/Administration.ts"
export { AdministrationRefused } from "./service/AdministrationRefused.ts"
export type { IssuedKey } from "./service/administrationMethods.ts"
export { Authorization } from "./service/Authorization.ts"
export { Builds, BuildTicket } from "./service/Builds.ts"
export type { ReserveBuild } from "./service/Builds.ts"
export { Changes } from "./service/Changes.ts"
export type { Change } from "./service/Changes.ts"
export { Erasures } from "./service/Erasures.ts"
export { OpenSlots } from "./service/OpenSlots.ts"
export type { OpenSlot, PutContent } from "./service/OpenSlots.ts"
export { OwnAccount } from "./service/administration/OwnAccount.ts"
export type { OwnRules } from "./service/administration/OwnAccount.ts"
export { Overview } from "./service/Overview.ts"
export type { BuildPage, PreviewPage } from "./service/Overview.ts"
export { Keeping } from "./service/Keeping.ts"
export { Previews, PreviewTicket } from "./service/Previews.ts"
export { auditKinds, AuditEntries } from "./service/AuditEntries.ts"
export type { AuditFilter, AuditKind, AuditPage } from "./service/AuditEntries.ts"
export { CurrentActor } from "./service/auditing.ts"
export { Removals } from "./service/Removals.ts"
export type { RemovalBatch } from "./service/Removals.ts"
export { RateLimits } from "./service/RateLimits.ts"
export { Search } from "./service/Search.ts"
export type { Found } from "./service/Search.ts"
export { Sessions } from "./service/Sessions.ts"
export type { BegunSession, SessionCaller, SessionPage } from "./service/Sessions.ts"
export { defaultSettings, Settings } from "./service/Settings.ts"
export type { SettingsShape } from "./service/Settings.ts"
export { ShareLinkEnded, ShareLinks } from "./service/ShareLinks.ts"
export type { IssuedShareLink, Owner, ShareLinkPage } from "./service/ShareLinks.ts"
export type { JobStep, StepOptions, StoredSweepJob, SweepJob } from "./service/sweeps/SweepJob.ts"
export { Sweeps } from "./service/sweeps/Sweeps.ts"
export type { SweepSettings } from "./service/Settings.ts"
export { TestHistories } from "./service/TestHistories.ts"
export type { CiRunFailures, CiRunPage, RepositoryHistory, TestPage } from "./service/TestHistories.ts"
export { TestRuns } from "./service/TestRuns.ts"
export type { ListRuns, RegisterRun, RunPage } from "./service/TestRuns.ts"
export { TokenExchange } from "./service/TokenExchange.ts"
export { Usage } from "./service/Usage.ts"
export { Slots } from "./service/uploadSlots.ts"

// The ports, and the rules that their contracts name.
export * from "./ports/AccountStore.ts"
export * from "./ports/BuildStore.ts"
export * from "./ports/Conflict.ts"
export * from "./ports/ErasureStore.ts"
export * from "./ports/Gunzip.ts"
export { HandOver } from "./ports/HandOver.ts"
export * from "./ports/IdempotencyStore.ts"
export * from "./ports/KeyStore.ts"
export * from "./ports/MetadataSnapshot.ts"
export * from "./ports/ObjectStore.ts"
export * from "./ports/Outbox.ts"
export * from "./ports/OverviewStore.ts"
export * from "./ports/PreviewStore.ts"
export * from "./ports/RemovalStore.ts"
export * from "./ports/RateStore.ts"
export * from "./ports/RepositoryStore.ts"
export * from "./ports/RetentionStore.ts"
export * from "./ports/SweepStore.ts"
export * from "./ports/ReservationStore.ts"
export * from "./ports/SessionStore.ts"
export * from "./ports/Sha256.ts"
export * from "./ports/ShareLinkStore.ts"
export * from "./ports/TestHistoryStore.ts"
export * from "./ports/TestRunStore.ts"
export * from "./ports/IdentityTokens.ts"
export * from "./ports/AuditLog.ts"
export { runPieces, withPieces, type EachPiece, type Pieces } from "./ports/pieces.ts"
export * from "./ports/TrustStore.ts"
export * from "./ports/UsageStore.ts"
export * from "./ports/WebhookStore.ts"
export type { WriteFailure } from "./ports/WriteFailure.ts"
export { latestBuild } from "./rules/builds.ts"
export { defaultLimits } from "./rules/limits.ts"
export type { Limits } from "./rules/limits.ts"
export type { Rates } from "./rules/rates.ts"
export { isGzip } from "./rules/verification.ts"
export { forWebhook, orderingKey } from "./rules/events.ts"
export { messageLine, messagePattern } from "./rules/failureMessages.ts"
export * from "./rules/testHistory.ts"
export { ciRunOf, ciRunOfSource, isCiRun, startOf, testIdOf } from "./rules/testIdentity.ts"
export {
  endOf,
  isBrokenBefore,
  isFlakyTest,
  judged,
  mostResults,
  outcomeOf,
  percentile,
  resultsOf,
  resultStart,
  tellingRun,
  type JudgedResult
} from "./rules/testResults.ts"
export { compareRuns } from "./rules/testRuns.ts"
export type { RunReport } from "./rules/testRuns.ts"

// The model.
export * from "./model/Account.ts"
export * from "./model/ApiKey.ts"
export * from "./model/AuditEntry.ts"
export { DeclaredFile, DeviceSpec } from "./model/Artifact.ts"
export type { ByteRange, DeclaredObject } from "./model/Artifact.ts"
export { Build, BuildDeclaration, BuildId, BuildReservation, BuildStatus, Platform } from "./model/Build.ts"
export type { BuildIdentity, BuildView } from "./model/Build.ts"
export { MetadataRecord, portableKinds, recordModels } from "./model/MetadataRecord.ts"
export { IdempotencyKey, IdempotentAnswer } from "./model/Idempotency.ts"
export * from "./model/Erasure.ts"
export * from "./model/HostedObject.ts"
export * from "./model/ObjectKey.ts"
export * from "./model/Preview.ts"
export * from "./model/Principal.ts"
export * from "./model/Problem.ts"
export { Repository, RepositoryId, repositoryKey } from "./model/Repository.ts"
export type { RepositoryKey } from "./model/Repository.ts"
export * from "./model/Removal.ts"
export * from "./model/RepositoryTrust.ts"
export * from "./model/Resource.ts"
export * from "./model/Retention.ts"
export * from "./model/Sweep.ts"
export * from "./model/Reservation.ts"
export * from "./model/Session.ts"
export type { SigningSecret } from "./model/SigningSecret.ts"
export * from "./model/ShareLink.ts"
export { EventId, EventType, SlipwayEvent } from "./model/SlipwayEvent.ts"
export * from "./model/Slot.ts"
export {
  CiRun,
  CiRunTotals,
  PackedResults,
  PastRun,
  RunPoint,
  TestHistory,
  TestId,
  testNames,
  TestResult,
  TestSummary
} from "./model/TestHistory.ts"
export type {
  HistoryChange,
  HistoryWrite,
  ListedTest,
  LoadedHistory,
  StoredResults,
  TestOutcome,
  TestView
} from "./model/TestHistory.ts"
export { TestRun, TestRunId, TestRunKind, TestRunStatus } from "./model/TestRun.ts"
export type { RunCursor, TestRunView } from "./model/TestRun.ts"
export { DeliveryAttempt, Webhook, WebhookState } from "./model/Webhook.ts"
export { WebhookId } from "./model/WebhookId.ts"
