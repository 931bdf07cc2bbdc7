/**
 * The public exports of the core, which does no I/O itself: the HTTP interface, the services, the ports that they need, and the model.
 * Rules are internal, except those that the contracts of ports name.
 */

// The HTTP interface.
export { Api } from "./api/Api.ts"
export type { Authentication } from "./api/middleware.ts"
export type { NotAcceptable, UnsupportedMediaType } from "./api/middleware.ts"
export { BuildsRequest, FinalizeBuildRequest, ReserveBuildRequest } from "./api/builds.ts"
export { BuildRow, ReserveBuildResponse } from "./api/builds.ts"
export { FinalizePreviewRequest, ReservePreviewRequest } from "./api/previews.ts"
export { PreviewMetadata, ReservePreviewResponse } from "./api/previews.ts"
export { RegisterTestRunRequest } from "./api/testRuns.ts"
export { TestRunList, TestRunRecord } from "./api/testRuns.ts"
export { CreateShareLinkRequest } from "./api/shareLinks.ts"
export { CreateShareLinkResponse, ShareLinkList, ShareLinkRecord } from "./api/shareLinks.ts"

// The services.
export { layer } from "./layer.ts"
export type { Services } from "./layer.ts"
export { metadataContext, metadataPorts, ports } from "./ports/registry.ts"
export type { MetadataImplementations, MetadataPorts, Ports } from "./ports/registry.ts"
export { Administration } from "./service/Administration.ts"
export { AdministrationRefused } from "./service/administrationMethods.ts"
export type { IssuedKey } from "./service/administrationMethods.ts"
export { Authorization } from "./service/Authorization.ts"
export { Builds } from "./service/Builds.ts"
export type { BuildTicket } from "./service/Builds.ts"
export { ReserveBuild } from "./service/beforeReserve.ts"
export { Changes } from "./service/Changes.ts"
export type { Change } from "./service/Changes.ts"
export { Erasures } from "./service/Erasures.ts"
export { OpenSlots } from "./service/OpenSlots.ts"
export type { OpenSlot, PutContent } from "./service/OpenSlots.ts"
export { OwnAccount } from "./service/OwnAccount.ts"
export type { OwnRules } from "./service/OwnAccount.ts"
export { Overview } from "./service/Overview.ts"
export type { BuildPage, PreviewPage } from "./service/Overview.ts"
export { RetentionHolds } from "./service/RetentionHolds.ts"
export { Previews } from "./service/Previews.ts"
export type { PreviewTicket } from "./service/Previews.ts"
export { AuditEntries } from "./service/AuditEntries.ts"
export type { AuditFilter, AuditKind, AuditPage } from "./service/AuditEntries.ts"
export { CurrentActor } from "./service/auditing.ts"
export { ObjectDeletions } from "./service/ObjectDeletions.ts"
export type { ObjectDeletionBatch } from "./service/ObjectDeletions.ts"
export { Quarantines } from "./service/Quarantines.ts"
export { AddQuarantine } from "./service/Quarantines.ts"
export type { ListedQuarantine, QuarantinePage } from "./service/Quarantines.ts"
export { RateLimits } from "./service/RateLimits.ts"
export { Search } from "./service/Search.ts"
export type { Found } from "./service/Search.ts"
export { Sessions } from "./service/Sessions.ts"
export type { BegunSession, SessionCaller, SessionPage } from "./service/Sessions.ts"
export { Settings, defaultSettings } from "./service/Settings.ts"
export type { SettingsShape, SweepSettings } from "./service/Settings.ts"
export { ShareLinkEnded, ShareLinks } from "./service/ShareLinks.ts"
export type { IssuedShareLink, Owner, ShareLinkPage } from "./service/ShareLinks.ts"
export type { JobStep, StepOptions, StoredSweepJob, SweepJob } from "./service/Sweeps.ts"
export { Sweeps } from "./service/Sweeps.ts"
export { AnnounceImport, TestHistories } from "./service/TestHistories.ts"
export type { CiRunFailures } from "./service/TestHistories.ts"
export type { CiRunPage, RepositoryHistory, TestPage } from "./service/TestHistories.ts"
export { TestRuns } from "./service/TestRuns.ts"
export { ListRuns, RegisterRun } from "./service/TestRuns.ts"
export type { RunPage } from "./service/TestRuns.ts"
export { TokenExchange } from "./service/TokenExchange.ts"
export { Usage } from "./service/Usage.ts"
export type { Slots } from "./service/Uploads.ts"

// The ports, and the rules that their contracts name.
export { AccountStore, NameTaken } from "./ports/AccountStore.ts"
export { BuildStore } from "./ports/BuildStore.ts"
export type { LoadedForDelete, LoadedForReserve, ReservedBuild } from "./ports/BuildStore.ts"
export { Conflict } from "./ports/WriteFailure.ts"
export { ErasureStore } from "./ports/ErasureStore.ts"
export type { ErasureStep } from "./ports/ErasureStore.ts"
export { Gunzip, NotGzip } from "./ports/HostServices.ts"
export type { Decompress } from "./ports/HostServices.ts"
export { CloseOnReopen } from "./ports/HostServices.ts"
export { IdempotencyStore } from "./ports/IdempotencyStore.ts"
export type { Once } from "./ports/IdempotencyStore.ts"
export { KeyStore } from "./ports/KeyStore.ts"
export type { KeyOwner } from "./ports/KeyStore.ts"
export { DuplicateRecord, MetadataSource, MetadataTarget, NotEmpty } from "./ports/MetadataSnapshot.ts"
export { ObjectMissing, ObjectStore } from "./ports/ObjectStore.ts"
export type { Examined, GetRequest, OpenObject, PutRequest, ScannedObject, StoredObject } from "./ports/ObjectStore.ts"
export { ClaimId, DeliveryId, Outbox } from "./ports/Outbox.ts"
export type { Claim, ClaimedEvent, DeadEvent } from "./ports/Outbox.ts"
export { OverviewStore, branchWindow } from "./ports/OverviewStore.ts"
export type { RunNeighbours } from "./ports/OverviewStore.ts"
export { PackedResults } from "./ports/packedResults.ts"
export { PreviewStore } from "./ports/PreviewStore.ts"
export type { MonthlyUsage } from "./ports/PreviewStore.ts"
export { ObjectDeletionStore } from "./ports/ObjectDeletionStore.ts"
export { QuarantineStore } from "./ports/QuarantineStore.ts"
export type { QuarantineCursor } from "./ports/QuarantineStore.ts"
export { RateStore } from "./ports/RateStore.ts"
export type { RateRequest } from "./ports/RateStore.ts"
export { LinkedElsewhere, RepositoryStore } from "./ports/RepositoryStore.ts"
export { RetentionStore } from "./ports/RetentionStore.ts"
export type { KeptResource, ReleasedResource } from "./ports/RetentionStore.ts"
export { SweepStore } from "./ports/SweepStore.ts"
export type { DuePage, ExpiredItem, JobCheckpoint } from "./ports/SweepStore.ts"
export { ReservationStore } from "./ports/ReservationStore.ts"
export type { AccountForReserve, ReservationWithKey } from "./ports/ReservationStore.ts"
export { SessionStore } from "./ports/SessionStore.ts"
export type { SessionOwner } from "./ports/SessionStore.ts"
export { Sha256 } from "./ports/HostServices.ts"
export type { Sha256Hasher } from "./ports/HostServices.ts"
export { ShareLinkStore } from "./ports/ShareLinkStore.ts"
export { TestHistoryStore, ciRunWindow } from "./ports/TestHistoryStore.ts"
export type {
  BranchOfRuns,
  CiRunCursor,
  CiRunSearch,
  FoundCiRun,
  FoundTest,
  TestCursor,
  TestFilter
} from "./ports/TestHistoryStore.ts"
export { TestRunStore } from "./ports/TestRunStore.ts"
export type { RunFilter } from "./ports/TestRunStore.ts"
export { IdentityTokens, TokenRefused } from "./ports/HostServices.ts"
export type { ProvenIdentity, TokenVerifier } from "./ports/HostServices.ts"
export { AuditLog } from "./ports/AuditLog.ts"
export { runChunks, withChunks } from "./ports/HostServices.ts"
export type { EachChunk, Chunks } from "./ports/HostServices.ts"
export { TrustStore } from "./ports/TrustStore.ts"
export type { TrustedRepository, UsedOnce } from "./ports/TrustStore.ts"
export { UsageStore } from "./ports/UsageStore.ts"
export type { QuotaCheck } from "./ports/UsageStore.ts"
export { WebhookStore } from "./ports/WebhookStore.ts"
export type { WriteFailure } from "./ports/WriteFailure.ts"
export { latestBuild } from "./rules/builds.ts"
export { defaultLimits } from "./rules/limits.ts"
export type { Limits } from "./rules/limits.ts"
export type { Rates } from "./rules/limits.ts"
export { isGzip } from "./rules/verification.ts"
export { orderingKey } from "./rules/events.ts"
export { testIdOf } from "./rules/testRuns.ts"
export type { JudgedResult } from "./rules/testResults.ts"
export type { RunReport } from "./rules/testRuns.ts"

// The model.
export { AccountId } from "./model/Account.ts"
export type { Account } from "./model/Account.ts"
export { KeyId } from "./model/ApiKey.ts"
export type { ApiKey, Scope } from "./model/ApiKey.ts"
export { AuditEntryId } from "./model/AuditEntry.ts"
export type { AuditActor, AuditEntry, AuditedAction } from "./model/AuditEntry.ts"
export type { ByteRange, DeclaredFile, DeclaredObject, DeviceSpec } from "./model/Artifact.ts"
export { BuildId } from "./model/Build.ts"
export type {
  Build,
  BuildDeclaration,
  BuildIdentity,
  BuildReservation,
  BuildStatus,
  BuildView,
  Platform
} from "./model/Build.ts"
export { MetadataRecord, portableKinds, recordModels } from "./model/MetadataRecord.ts"
export type { IdempotencyKey, IdempotentResponse } from "./model/Idempotency.ts"
export type {
  ErasedAccount,
  ErasedCounts,
  ErasedKind,
  ErasedUpload,
  Erasure,
  KnownAccount
} from "./model/MetadataRecord.ts"
export type { Content, HostedObject } from "./model/HostedObject.ts"
export { ObjectKey, isObjectKey } from "./model/HostedObject.ts"
export { PreviewDeclaration, ShareId } from "./model/Preview.ts"
export type {
  BillingKind,
  GitProvenance,
  Preview,
  PreviewStatus,
  PullRequest,
  Recording,
  RecordingKind
} from "./model/Preview.ts"
export { Principal } from "./model/ApiKey.ts"
export type {
  Caller,
  ExternalIdentity,
  KeyCaller,
  Reader,
  RepositoryAccess,
  RepositorySelection
} from "./model/ApiKey.ts"
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
export type { Issue } from "./model/Problem.ts"
export { RepositoryId, repositoryKey } from "./model/Repository.ts"
export type { Repository, RepositoryKey } from "./model/Repository.ts"
export { ObjectDeletionId } from "./model/HostedObject.ts"
export type { ObjectDeletion } from "./model/HostedObject.ts"
export { ciIssuers } from "./model/Repository.ts"
export type {
  ConditionPattern,
  IssuerId,
  PinnedIds,
  RepositoryTrust,
  TokenIssuer,
  TrustConditions,
  WorkflowPattern,
  WorkflowRun
} from "./model/Repository.ts"
export { kindAndIdOf } from "./model/Resource.ts"
export { Resource } from "./model/Resource.ts"
export type { AccountRetention, RetentionPeriod, RetentionRules } from "./model/Account.ts"
export type {
  Due,
  EndedRule,
  ExpirySelection,
  JobName,
  RetentionRule,
  RetentionSelection,
  SweepPosition,
  SweepStep,
  Swept
} from "./model/Sweep.ts"
export { ReservationId } from "./model/Reservation.ts"
export type { OpenReservations, RemovedUpload, Reservation, StoredUpload } from "./model/Reservation.ts"
export { SessionId } from "./model/ApiKey.ts"
export type { Session, SessionSource } from "./model/ApiKey.ts"
export type { SigningSecret } from "./model/SigningSecret.ts"
export { ShareLinkId } from "./model/Resource.ts"
export type { ShareLink } from "./model/Resource.ts"
export { EventId, SlipwayEvent } from "./model/SlipwayEvent.ts"
export type { EventType } from "./model/SlipwayEvent.ts"
export type { BundleSlot, FileSlot, RecordingSlot } from "./model/Reservation.ts"
export { TestId } from "./model/TestHistory.ts"
export type {
  CiRun,
  CiRunTotals,
  HistoryChange,
  HistoryWrite,
  ListedTest,
  LoadedHistory,
  PastRun,
  QuarantineTimes,
  RunPoint,
  StoredResults,
  TestHistory,
  TestOutcome,
  TestResult,
  TestSummary,
  TestView
} from "./model/TestHistory.ts"
export type { Quarantine, QuarantineView } from "./model/Quarantine.ts"
export { TestRunId } from "./model/TestRun.ts"
export type { RunCursor, TestRun, TestRunKind, TestRunStatus, TestRunView } from "./model/TestRun.ts"
export { DeliveryAttempt, Webhook } from "./model/SlipwayEvent.ts"
export type { WebhookState } from "./model/SlipwayEvent.ts"
export { WebhookId } from "./model/SlipwayEvent.ts"
