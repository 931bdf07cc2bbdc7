/**
 * The public exports of the core, which does no I/O itself: the HTTP interface, the services and what they return, the ports that
 * they need, problems and ids. Types that only one method of a port takes are not listed: its signature has them.
 */

// The HTTP interface.
export { Api } from "./api/Api.ts"
export {
  BuildRow,
  BuildsRequest,
  FinalizeBuildRequest,
  ReserveBuildRequest,
  ReserveBuildResponse
} from "./api/builds.ts"
export {
  FinalizePreviewRequest,
  PreviewMetadata,
  ReservePreviewRequest,
  ReservePreviewResponse
} from "./api/previews.ts"
export { RegisterTestRunRequest, TestRunList, TestRunRecord } from "./api/testRuns.ts"
export { CreateShareLinkRequest, CreateShareLinkResponse, ShareLinkList, ShareLinkRecord } from "./api/shareLinks.ts"

// The services, and what they return.
export { layer } from "./layer.ts"
export type { Services } from "./layer.ts"
export { Administration } from "./service/Administration.ts"
export { AdministrationRefused } from "./service/administrationMethods.ts"
export type { IssuedKey } from "./service/administrationMethods.ts"
export { AuditEntries } from "./service/AuditEntries.ts"
export type { AuditPage } from "./service/AuditEntries.ts"
export { CurrentActor } from "./service/auditing.ts"
// Parts of a host. The types of its layers name them; its methods are not for embedders.
export type { Erasures } from "./service/Erasures.ts"
export type { ObjectDeletions } from "./service/ObjectDeletions.ts"
export type { OpenSlots } from "./service/OpenSlots.ts"
export type { RateLimits } from "./service/RateLimits.ts"
export type { RequestScheduler } from "./service/RequestScheduler.ts"
export type { Sweeps } from "./service/Sweeps.ts"
export { Authorization } from "./service/Authorization.ts"
export { ReserveBuild } from "./service/beforeReserve.ts"
export { Builds } from "./service/Builds.ts"
export { Changes } from "./service/Changes.ts"
export { Overview } from "./service/Overview.ts"
export type { BuildPage, PreviewPage } from "./service/Overview.ts"
export { OwnAccount } from "./service/OwnAccount.ts"
export { Previews } from "./service/Previews.ts"
export { AddQuarantine, Quarantines } from "./service/Quarantines.ts"
export type { ListedQuarantine, QuarantinePage } from "./service/Quarantines.ts"
export { RetentionHolds } from "./service/RetentionHolds.ts"
export { Search } from "./service/Search.ts"
export type { Found } from "./service/Search.ts"
export { Sessions } from "./service/Sessions.ts"
export type { BegunSession, SessionCaller, SessionPage } from "./service/Sessions.ts"
export { defaultSettings, Settings } from "./service/Settings.ts"
export { ShareLinkEnded, ShareLinks } from "./service/ShareLinks.ts"
export type { IssuedShareLink, ShareLinkPage } from "./service/ShareLinks.ts"
export { AnnounceImport, TestHistories } from "./service/TestHistories.ts"
export type { CiRunFailures, CiRunPage, NewFailures, RepositoryHistory, TestPage } from "./service/TestHistories.ts"
export { ListRuns, RegisterRun, TestRuns } from "./service/TestRuns.ts"
export type { CiRun, RunPage } from "./service/TestRuns.ts"
export { TokenExchange } from "./service/TokenExchange.ts"
export { Usage } from "./service/Usage.ts"
export type { ExternalIdentity, KeyCaller, Reader, RepositoryAccess, RepositorySelection } from "./model/ApiKey.ts"
export type { BuildView } from "./model/Build.ts"
export type { QuarantineView } from "./model/Quarantine.ts"
export { SlipwayEvent } from "./model/SlipwayEvent.ts"
export type { EventType } from "./model/SlipwayEvent.ts"
export type { TestView } from "./model/TestHistory.ts"
export type { TestRunView } from "./model/TestRun.ts"
export type { ImportsState } from "./rules/imports.ts"
export type { Limits, Rates } from "./rules/limits.ts"

// The ports, and the rules that their contracts name.
export { metadataContext, metadataPorts } from "./ports/registry.ts"
export type { MetadataPorts, Ports } from "./ports/registry.ts"
export { AccountStore, NameTaken } from "./ports/AccountStore.ts"
export { AuditLog } from "./ports/AuditLog.ts"
export { BuildStore } from "./ports/BuildStore.ts"
export { ErasureStore } from "./ports/ErasureStore.ts"
export { CloseOnReopen, Gunzip, IdentityTokens, NotGzip, Sha256, TokenRefused } from "./ports/HostServices.ts"
export { IdempotencyStore } from "./ports/IdempotencyStore.ts"
export { KeyStore } from "./ports/KeyStore.ts"
export { DuplicateRecord, MetadataSource, MetadataTarget, NotEmpty } from "./ports/MetadataSnapshot.ts"
export { ObjectDeletionStore } from "./ports/ObjectDeletionStore.ts"
export { ObjectMissing, ObjectStore } from "./ports/ObjectStore.ts"
export type { OpenObject } from "./ports/ObjectStore.ts"
export { Outbox } from "./ports/Outbox.ts"
export { branchWindow, OverviewStore } from "./ports/OverviewStore.ts"
export type { RunNeighbours } from "./ports/OverviewStore.ts"
export { PreviewStore } from "./ports/PreviewStore.ts"
export { QuarantineStore } from "./ports/QuarantineStore.ts"
export { RateStore } from "./ports/RateStore.ts"
export { LinkedElsewhere, RepositoryStore } from "./ports/RepositoryStore.ts"
export { ReservationStore } from "./ports/ReservationStore.ts"
export { RetentionStore } from "./ports/RetentionStore.ts"
export { SessionStore } from "./ports/SessionStore.ts"
export { ShareLinkStore } from "./ports/ShareLinkStore.ts"
export { SweepStore } from "./ports/SweepStore.ts"
export { ciRunWindow, TestHistoryStore } from "./ports/TestHistoryStore.ts"
export type { FoundCiRun } from "./ports/TestHistoryStore.ts"
export { TestRunStore } from "./ports/TestRunStore.ts"
export { TrustStore } from "./ports/TrustStore.ts"
export { UsageStore } from "./ports/UsageStore.ts"
export { WebhookStore } from "./ports/WebhookStore.ts"
export { Conflict } from "./ports/WriteFailure.ts"
export type { WriteFailure } from "./ports/WriteFailure.ts"
export { latestBuild } from "./rules/builds.ts"
export { orderingKey } from "./rules/events.ts"
export { testIdOf } from "./rules/testRuns.ts"
export { isGzip } from "./rules/verification.ts"
export { MetadataRecord, portableKinds, recordModels } from "./model/MetadataRecord.ts"

// Problems.
export {
  IdempotencyConflict,
  InsufficientScope,
  InsufficientStorage,
  Internal,
  InvalidRequest,
  NotFound,
  ObjectMismatch,
  PayloadTooLarge,
  PreviewNotReady,
  Problem,
  QuotaExceeded,
  RangeNotSatisfiable,
  RateLimited,
  ReservationExpired,
  Unauthorized,
  Unavailable,
  UploadIncomplete,
  UrlRefused
} from "./model/Problem.ts"

// Ids.
export { AccountId } from "./model/Account.ts"
export { KeyId, SessionId } from "./model/ApiKey.ts"
export { BuildId } from "./model/Build.ts"
export { ObjectKey } from "./model/HostedObject.ts"
export { ShareId } from "./model/Preview.ts"
export { ShareLinkId } from "./model/Resource.ts"
export { WebhookId } from "./model/SlipwayEvent.ts"
export { TestId } from "./model/TestHistory.ts"
export { TestRunId } from "./model/TestRun.ts"
