import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Account, AccountId, AccountUsage, QuotaName, RetentionRules } from "../model/Account.ts"
import { ApiKey, KeyId, Scope } from "../model/ApiKey.ts"
import { AuditEntry } from "../model/AuditEntry.ts"
import { Erasure } from "../model/MetadataRecord.ts"
import { InsufficientStorage, InvalidRequest, Unavailable } from "../model/Problem.ts"
import {
  OwnerName,
  PinnedIds,
  RepoName,
  Repository,
  RepositoryTrust,
  TokenIssuer,
  TrustConditions,
  WebUrl
} from "../model/Repository.ts"
import { Resource, ShareLink, ShareLinkId } from "../model/Resource.ts"
import {
  DeliveryAttempt,
  EventType,
  SlipwayEvent,
  Webhook,
  webhookFilters,
  WebhookFormat,
  WebhookId
} from "../model/SlipwayEvent.ts"
import { idOf, Name } from "../model/Text.ts"
import { DeliveryId } from "../ports/Outbox.ts"
import { SweepPosition, SweepStep } from "../model/Sweep.ts"
import { WebhookUrl } from "../rules/events.ts"

/**
 * An administration command that can't be executed; `message` tells the administrator why. Nothing was changed. `reason`, where a
 * program can act on it: there is one already (`exists`), there is none (`unknown`), or another account has it (`elsewhere`).
 */
export class AdministrationRefused extends Schema.TaggedError<AdministrationRefused>()("AdministrationRefused", {
  message: Schema.String,
  reason: Schema.optionalKey(Schema.Literals(["exists", "unknown", "elsewhere"]))
}) {}

const error = Schema.Union([AdministrationRefused, InvalidRequest, Unavailable, InsufficientStorage])
const ofAccount = { account: Name }
const repository = { ...ofAccount, owner: OwnerName, repo: RepoName }
const shared = { ...ofAccount, shared: Resource }
const life = Schema.optionalKey(Schema.UndefinedOr(Schema.DurationFromMillis))

/** A new key. This is the only time that `key` itself is shown. */
const IssuedKey = Schema.Struct({ key: Schema.String, record: ApiKey, account: Account })
/** A new key, its record, and its account. */
export type IssuedKey = typeof IssuedKey.Type

/** A repository's trust in an issuer, and the account whose keys its CI gets. */
const Trusted = Schema.Struct({ trust: RepositoryTrust, repository: Repository, account: Account })
export type Trusted = typeof Trusted.Type

/** An event that was given up. */
const DeadEvent = Schema.Struct({
  id: DeliveryId,
  webhook: Schema.optionalKey(WebhookId),
  event: SlipwayEvent,
  attempts: Schema.Int,
  deadAt: Schema.DateTimeUtcFromString,
  reason: Schema.String
})

const { secret: _, ...shown } = Webhook.fields

/** A webhook without its secret, and the account whose events it receives, unless it receives all. */
const ShownWebhook = Schema.Struct({ webhook: Schema.Struct(shown), account: Schema.optionalKey(Account) })
export type ShownWebhook = typeof ShownWebhook.Type

/** A resource that was found: its account, and its name for people. */
const FoundResource = Schema.Struct({ account: Account, name: Schema.String })
type FoundResource = typeof FoundResource.Type

/** An account that is being erased. */
const Erased = Schema.Struct({ id: AccountId, erasure: Erasure })

/** The methods of `Administration`. Accounts are named by their name. */
export const administrationMethods = {
  /** Creates an account. Refused if an account has that name. */
  createAccount: Rpc.make("createAccount", { payload: { name: Name }, success: Account, error }),
  /** The account of that name, which is created if there is none: for a program that runs it at each start. */
  ensureAccount: Rpc.make("ensureAccount", { payload: { name: Name }, success: Account, error }),
  /** Every account, ordered by name. */
  listAccounts: Rpc.make("listAccounts", { success: Schema.Array(Account), error }),
  /**
   * Begins to erase an account: from now on no host finds it. Returns the progress if it was begun before. Refused if there is no
   * account of that name. Also refused without an `id` if another account of the same name is being erased.
   */
  eraseAccount: Rpc.make("eraseAccount", {
    payload: { ...ofAccount, id: Schema.optionalKey(idOf(AccountId)) },
    success: Erased,
    error
  }),
  /**
   * One step of erasing an account; a sweep does the same. `isDone` if only its id is left, which is deleted an hour after the first
   * commit.
   */
  eraseStep: Rpc.make("eraseStep", {
    payload: { id: idOf(AccountId) },
    success: Schema.Struct({ ...Erased.fields, isDone: Schema.Boolean }),
    error
  }),
  /** Creates a key with these scopes; without `life` it never expires. */
  createKey: Rpc.make("createKey", {
    payload: { ...ofAccount, name: Name, scopes: Schema.NonEmptyArray(Scope), life },
    success: IssuedKey,
    error
  }),
  /** An account's keys, also expired and revoked ones, oldest first. */
  listKeys: Rpc.make("listKeys", {
    payload: ofAccount,
    success: Schema.Struct({ account: Account, keys: Schema.Array(ApiKey) }),
    error
  }),
  /** Revokes a key: every host refuses it from the next request on. Revoking it again changes nothing. */
  revokeKey: Rpc.make("revokeKey", {
    payload: { id: idOf(KeyId) },
    success: Schema.Struct({ account: Account, key: ApiKey }),
    error
  }),
  /** Creates a key with the account, name, scopes and lifetime of another key, which expires after `overlap`. */
  rotateKey: Rpc.make("rotateKey", {
    payload: { id: idOf(KeyId), overlap: Schema.DurationFromMillis },
    success: IssuedKey,
    error
  }),
  /**
   * Links a repository to an account, and sets its default branch and web URL if they are given. Linking it again to the same account
   * changes nothing else. Refused while it is linked to another one.
   */
  linkRepository: Rpc.make("linkRepository", {
    payload: { ...repository, defaultBranch: Schema.optionalKey(Name), webUrl: Schema.optionalKey(WebUrl) },
    success: Repository,
    error
  }),
  /** Changes settings of a linked repository; `null` unsets one. Refused if it is not linked to the account. */
  configureRepository: Rpc.make("configureRepository", {
    payload: {
      ...repository,
      defaultBranch: Schema.optionalKey(Schema.NullOr(Name)),
      webUrl: Schema.optionalKey(Schema.NullOr(WebUrl))
    },
    success: Repository,
    error
  }),
  /**
   * Ends the link of a repository and its trusts. Refused if it is not linked to the account. Uploads are not deleted.
   */
  unlinkRepository: Rpc.make("unlinkRepository", { payload: repository, error }),
  /** The repositories that are linked to an account. */
  listRepositories: Rpc.make("listRepositories", { payload: ofAccount, success: Schema.Array(Repository), error }),
  /**
   * Allows the CI of a repository of any account to exchange identity tokens of the issuer for keys with these scopes. It applies
   * to runs that match the conditions, of the repository with the pinned ids, and replaces an earlier trust. Earlier pinned ids stay
   * unless others are given. Refused if the repository is not linked.
   */
  trustRepository: Rpc.make("trustRepository", {
    payload: {
      owner: OwnerName,
      repo: RepoName,
      issuer: TokenIssuer,
      scopes: Schema.NonEmptyArray(Scope),
      conditions: Schema.optionalKey(TrustConditions),
      pinned: Schema.optionalKey(PinnedIds)
    },
    success: Trusted,
    error
  }),
  /** Deletes a trust. Exchanged keys are valid until they expire. Refused if there is no such trust. */
  untrustRepository: Rpc.make("untrustRepository", {
    payload: { owner: OwnerName, repo: RepoName, issuer: TokenIssuer },
    success: Trusted,
    error
  }),
  /** The trusts of an account's linked repositories. */
  listTrusts: Rpc.make("listTrusts", { payload: ofAccount, success: Schema.Array(Trusted), error }),
  /** Creates a link as `ShareLinks.create` does. This is the only time that its `url` is shown. */
  createShareLink: Rpc.make("createShareLink", {
    payload: { ...shared, life },
    success: Schema.Struct({ account: Account, link: ShareLink, url: Schema.String }),
    error
  }),
  /** Every link to one resource, including expired and revoked ones, newest first. */
  listShareLinks: Rpc.make("listShareLinks", {
    payload: shared,
    success: Schema.Struct({ account: Account, links: Schema.Array(ShareLink) }),
    error
  }),
  /** Revokes a link: it opens nothing from the next request on, on every host. */
  revokeShareLink: Rpc.make("revokeShareLink", {
    payload: { ...shared, id: idOf(ShareLinkId) },
    success: Schema.Struct({ account: Account, link: ShareLink }),
    error
  }),
  /** The build, preview or run of that id, of any account. Refused if there is none, or its repository is not linked. */
  findResource: Rpc.make("findResource", { payload: { resource: Resource }, success: FoundResource, error }),
  /**
   * Deletes a resource permanently, as `Builds.delete`, `Previews.delete` and `TestRuns.delete` do, and returns it. The next sweep
   * removes its objects. Refused as `findResource` is.
   */
  deleteResource: Rpc.make("deleteResource", { payload: { resource: Resource }, success: FoundResource, error }),
  /** Every stored event that was given up, of all accounts. */
  listDeadEvents: Rpc.make("listDeadEvents", { success: Schema.Array(DeadEvent), error }),
  /** Delivers an event again that was given up. Refused when there is no such event. */
  replayEvent: Rpc.make("replayEvent", { payload: { id: idOf(DeliveryId) }, error }),
  /** Adds a webhook, for all accounts or for one, and for all types of events or for some. Only here is `secret` shown. */
  addWebhook: Rpc.make("addWebhook", {
    payload: {
      url: WebhookUrl,
      account: Schema.optionalKey(Name),
      types: Schema.Array(EventType),
      format: Schema.optionalKey(WebhookFormat),
      ...webhookFilters
    },
    success: Schema.Struct({ ...ShownWebhook.fields, secret: Schema.String }),
    error
  }),
  /** Every webhook of the store, the oldest first. */
  listWebhooks: Rpc.make("listWebhooks", { success: Schema.Array(ShownWebhook), error }),
  /** Removes a webhook with its undelivered events. Refused if there is none with that id. */
  removeWebhook: Rpc.make("removeWebhook", { payload: { id: idOf(WebhookId) }, error }),
  /**
   * Resumes a webhook that was disabled or is paused after failures: its waiting events are due immediately. Refused if there is
   * none with that id.
   */
  resumeWebhook: Rpc.make("resumeWebhook", { payload: { id: idOf(WebhookId) }, error }),
  /** Sends a test event to a webhook, which the log of deliveries shows. Refused if there is none with that id. */
  testWebhook: Rpc.make("testWebhook", { payload: { id: idOf(WebhookId) }, error }),
  /** The latest attempts to deliver to webhooks, or to one of them, the latest first. */
  listDeliveryAttempts: Rpc.make("listDeliveryAttempts", {
    payload: { webhook: Schema.optionalKey(idOf(WebhookId)), limit: Schema.Int },
    success: Schema.Array(DeliveryAttempt),
    error
  }),
  /**
   * One step of a sweep that runs now: see `Sweeps.step`. A dry run only reports what would be deleted.
   */
  sweepStep: Rpc.make("sweepStep", {
    payload: {
      dryRun: Schema.Boolean,
      foreign: Schema.optionalKey(Schema.Boolean),
      from: Schema.optionalKey(SweepPosition)
    },
    success: SweepStep,
    error
  }),
  /** Keeps a build, preview or run regardless of retention rules. Refused if there is none with that id. */
  keep: Rpc.make("keep", { payload: { resource: Resource }, success: Schema.DateTimeUtcFromString, error }),
  /** Releases a resource: retention rules apply to it again. Refused if there is none with that id. */
  release: Rpc.make("release", { payload: { resource: Resource }, error }),
  /**
   * Sets the given retention rules of an account, and returns its rules. The deployment's rules apply again for those in `forget`.
   * Refused without a change if the rules contradict each other.
   */
  retain: Rpc.make("retain", {
    payload: { ...ofAccount, rules: RetentionRules, forget: Schema.Array(Schema.String) },
    success: Schema.Struct({ account: Account, own: RetentionRules, holding: RetentionRules }),
    error
  }),
  /** The latest entries of the audit log, newest first: of one account if given, else of all. */
  listAudit: Rpc.make("listAudit", {
    payload: { account: Schema.optionalKey(Name), limit: Schema.Int },
    success: Schema.Array(AuditEntry),
    error
  }),
  /** Sets quotas of an account: an amount, `null` for that of the settings; others stay. Returns its usage. */
  setQuotas: Rpc.make("setQuotas", {
    payload: { ...ofAccount, quotas: Schema.Record(QuotaName, Schema.optionalKey(Schema.NullOr(Schema.Natural))) },
    success: Schema.Struct({ account: Account, usage: AccountUsage }),
    error
  }),
  /** The usage of the account, and its billed test runs by the month (UTC) in which they were finalized, latest month first. */
  usage: Rpc.make("usage", {
    payload: ofAccount,
    success: Schema.Struct({
      account: Account,
      usage: AccountUsage,
      months: Schema.Array(Schema.Struct({ month: Schema.String, billedTestRuns: Schema.Int }))
    }),
    error
  })
}

/** {@link administrationMethods} as procedures that another process can call. */
export const AdministrationRpcs = RpcGroup.make(...Object.values(administrationMethods))
