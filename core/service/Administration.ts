import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { AdministrationRefused, administrationMethods } from "./administrationMethods.ts"
import { withParams } from "./withInput.ts"
import type { Rpc } from "effect/rpc"
import { AccountStore } from "../ports/AccountStore.ts"
import { KeyId, type ApiKey } from "../model/ApiKey.ts"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { AccountId, type Account, type Quotas, type RetentionRules } from "../model/Account.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { UsageStore } from "../ports/UsageStore.ts"
import { changesText } from "../rules/audit.ts"
import { monthOf, quotasAsSet } from "../rules/limits.ts"
import { makeAuditing, ofAccount, ofKey, ofRepository, ofWebhook } from "./auditing.ts"
import { makeUsageOf } from "./Usage.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { keyCreated, keyRevoked, webhookTest } from "../rules/events.ts"
import { conditionsOf, hashSecret, makeKey, rotatedExpiry, shareUrl } from "../rules/credentials.ts"
import { makeRandomText } from "./randomText.ts"
import { makeEventPublisher } from "./webhooks.ts"
import {
  impossibleName,
  RepositoryId,
  repositoryKey,
  type Repository,
  type RepositorySettings,
  type RepositoryTrust
} from "../model/Repository.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { TrustStore } from "../ports/TrustStore.ts"
import { nameOfResource, type Resource, type ShareLink, type ShareLinkId } from "../model/Resource.ts"
import { RetentionStore } from "../ports/RetentionStore.ts"
import { refuseRules, rulesFor } from "../rules/sweeps.ts"
import { makeRetentionHolds } from "./RetentionHolds.ts"
import { Settings } from "./Settings.ts"
import { Sweeps } from "./Sweeps.ts"
import { ShareLinks } from "./ShareLinks.ts"
import { WebhookId } from "../model/SlipwayEvent.ts"
import { Outbox, type DeadEvent, type DeliveryId } from "../ports/Outbox.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Conflict, type WriteFailure } from "../ports/WriteFailure.ts"
import {
  makeCommitBuildDeletion,
  makeCommitPreviewDeletion,
  makeCommitRunDeletion,
  retryOnConflict
} from "./commits.ts"
import type { NotFound } from "../model/Problem.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { Erasures } from "./Erasures.ts"

/** Refuses a command; the message gives the reason, and `reason` what a program can act on. */
export const refuse = (message: string, reason?: AdministrationRefused["reason"]) =>
  Effect.fail(new AdministrationRefused({ message, ...withoutUndefined({ reason }) }))

type Methods = typeof administrationMethods

/** The commands of an administrator, by name. */
export type AllCommands = {
  readonly [Method in keyof Methods]: (
    params: Rpc.PayloadConstructor<Methods[Method]>
  ) => Effect.Effect<Rpc.Success<Methods[Method]>, Rpc.Error<Methods[Method]>>
}

/** Some of the commands. */
type Commands<Name extends keyof AllCommands> = Pick<AllCommands, Name>

/** Finds an account by the name that an administrator gives. */
const makeAccountNamed = Effect.map(AccountStore, (accounts) =>
  Effect.fnUntraced(function* (name: string) {
    const account = yield* accounts.findByName(name)
    return Option.isSome(account) ? account.value : yield* refuse(`There is no account named ${name}.`, "unknown")
  })
)

/** Scopes, each once. */
const distinctScopes = ([first, ...others]: ApiKey["scopes"]): ApiKey["scopes"] => [
  first,
  ...new Set(others.filter((scope) => scope !== first))
]

/** Accounts, what they use, their quotas, and the audit log. */
const makeAccountCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const auditLog = yield* AuditLog
  const previews = yield* PreviewStore
  const usages = yield* UsageStore
  const usageOf = yield* makeUsageOf
  const random = yield* SecureRandom
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  const createAccount: AllCommands["createAccount"] = Effect.fn("Administration.createAccount")(function* ({ name }) {
    const account: Account = {
      id: AccountId.make(yield* random.uuidV7()),
      name,
      createdAt: yield* DateTime.now
    }
    const created = auditing(ofAccount("account.created", account, account.createdAt), accounts.insert(account))
    yield* Effect.catchTag(created, "NameTaken", () => refuse(`There is an account named ${name} already.`, "exists"))
    return account
  })

  const commands: Commands<"createAccount" | "ensureAccount" | "listAccounts" | "usage" | "setQuotas" | "listAudit"> = {
    createAccount,
    ensureAccount: Effect.fn("Administration.ensureAccount")(function* ({ name }) {
      const existing = yield* accounts.findByName(name)
      if (Option.isSome(existing)) return existing.value
      // Another process may have created it in between.
      return yield* Effect.catchTag(createAccount({ name }), "AdministrationRefused", () => accountNamed(name))
    }),

    listAccounts: () => accounts.list,

    usage: Effect.fn("Administration.usage")(function* (params) {
      const account = yield* accountNamed(params.account)
      return { account, usage: yield* usageOf(account.id), months: yield* previews.usage(account.id) }
    }),

    setQuotas: Effect.fn("Administration.setQuotas")(function* (params) {
      const account = yield* accountNamed(params.account)
      const now = yield* DateTime.now
      const { own } = yield* usages.find(account.id, monthOf(now), now)
      const quotas: Quotas = Object.fromEntries(
        Object.entries({ ...own, ...params.quotas }).flatMap(([name, amount]) =>
          amount === null ? [] : [[name, amount]]
        )
      )
      const changes = changesText(quotasAsSet(own), quotasAsSet(quotas))
      if (changes !== "") {
        yield* auditing(
          ofAccount("quotas.changed", account, now, changes),
          usages.setQuotas({ accountId: account.id, ...quotas })
        )
      }
      return { account, usage: yield* usageOf(account.id) }
    }),

    listAudit: Effect.fn("Administration.listAudit")(function* (params) {
      const account = params.account === undefined ? undefined : (yield* accountNamed(params.account)).id
      return yield* auditLog.list({ account, limit: params.limit })
    })
  }
  return commands
})

/** API keys. */
const makeKeyCommands = Effect.gen(function* () {
  const keys = yield* KeyStore
  const random = yield* SecureRandom
  const randomText = yield* makeRandomText
  const publish = yield* makeEventPublisher
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  const newKey = Effect.map(
    Effect.suspend(() => randomText(40)),
    makeKey
  )

  const commands: Commands<"createKey" | "listKeys" | "revokeKey" | "rotateKey"> = {
    createKey: Effect.fn("Administration.createKey")(function* (params) {
      const account = yield* accountNamed(params.account)
      const createdAt = yield* DateTime.now
      const key = yield* newKey
      const record: ApiKey = {
        id: KeyId.make(yield* random.uuidV7()),
        accountId: account.id,
        name: params.name,
        hash: hashSecret(key),
        scopes: distinctScopes(params.scopes),
        createdAt,
        ...withoutUndefined({ expiresAt: params.life && DateTime.addDuration(createdAt, params.life) })
      }
      yield* publish(keyCreated(record), createdAt, (event) =>
        auditing(ofKey("key.created", record, createdAt), keys.insert(record, event))
      )
      return { key, record, account }
    }),

    listKeys: Effect.fn("Administration.listKeys")(function* (params) {
      const account = yield* accountNamed(params.account)
      return { account, keys: yield* keys.list(account.id) }
    }),

    revokeKey: Effect.fn("Administration.revokeKey")(function* ({ id }) {
      const stored = yield* keys.findById(id)
      if (Option.isNone(stored)) return yield* refuse(`There is no key with the id ${id}.`, "unknown")
      const { account, key: before } = stored.value
      const now = yield* DateTime.now
      const revoked = yield* publish(keyRevoked(before), now, (event) =>
        auditing(ofKey("key.revoked", before, now), keys.revoke(id, now, event), () => before.revokedAt === undefined)
      )
      return { account, key: Option.getOrElse(revoked, () => before) }
    }),

    rotateKey: Effect.fn("Administration.rotateKey")(function* ({ id, overlap }) {
      const old = Option.getOrUndefined(yield* keys.findById(id))
      if (old === undefined) return yield* refuse(`There is no key with the id ${id}.`, "unknown")
      const now = yield* DateTime.now
      const key = yield* newKey
      const life = old.key.expiresAt === undefined ? undefined : DateTime.distance(old.key.createdAt, old.key.expiresAt)
      const replacement: ApiKey = {
        id: KeyId.make(yield* random.uuidV7()),
        accountId: old.key.accountId,
        name: old.key.name,
        hash: hashSecret(key),
        scopes: old.key.scopes,
        createdAt: now,
        ...withoutUndefined({ expiresAt: life && DateTime.addDuration(now, life) })
      }
      const oldExpiresAt = rotatedExpiry(old.key, now, overlap)
      const isRotated = yield* publish(keyCreated(replacement), now, (event) =>
        auditing(
          { ...ofKey("key.rotated", old.key, now), detail: `${old.key.name}, replaced by key:${replacement.id}` },
          keys.rotate({ old: id, oldExpiresAt, now, replacement, event }),
          (isRotated) => isRotated
        )
      )
      return isRotated
        ? { key, record: replacement, account: old.account }
        : yield* refuse(`The key ${id} is revoked or expired; create a new one instead.`)
    })
  }
  return commands
})

/** Repositories: whose they are, and whose tokens their CI may exchange for keys. */
const makeRepositoryCommands = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const trusts = yield* TrustStore
  const random = yield* SecureRandom
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  /** A repository, linked to any account, and its trust in the issuer. */
  const linked = Effect.fnUntraced(function* (
    { owner, repo }: { readonly owner: string; readonly repo: string },
    issuer: string
  ) {
    const linked = yield* trusts.find(repositoryKey(owner, repo), issuer)
    return Option.isSome(linked)
      ? linked.value
      : yield* refuse(
          `${owner}/${repo} is not linked to an account; link it first: slipway repo link ${owner}/${repo} --account NAME`
        )
  })

  /** The link of a repository; refused if there is none. */
  const linkOf = Effect.fnUntraced(function* (params: { account: string; owner: string; repo: string }) {
    const { id } = yield* accountNamed(params.account)
    const linked = yield* repositories.find(id, repositoryKey(params.owner, params.repo))
    return Option.isSome(linked)
      ? linked.value
      : yield* refuse(`${params.owner}/${params.repo} is not linked to ${params.account}.`, "unknown")
  })

  /** Changes the settings of a link that are given, where `null` unsets one, and answers the link then. */
  const configured = Effect.fnUntraced(function* (
    { defaultBranch, webUrl, ...link }: Repository,
    given: { readonly [Name in keyof RepositorySettings]?: RepositorySettings[Name] | null | undefined }
  ) {
    const before = withoutUndefined({ defaultBranch, webUrl })
    const after: RepositorySettings = withoutUndefined({
      defaultBranch: given.defaultBranch === undefined ? defaultBranch : (given.defaultBranch ?? undefined),
      webUrl: given.webUrl === undefined ? webUrl : (given.webUrl ?? undefined)
    })
    const changes = changesText(before, after)
    if (changes !== "") {
      yield* auditing(
        ofRepository("repository.changed", link, yield* DateTime.now, changes),
        repositories.configure(link.accountId, repositoryKey(link.owner, link.repo), after),
        (isLinked) => isLinked
      )
    }
    return { ...link, ...after }
  })

  const commands: Commands<
    | "linkRepository"
    | "configureRepository"
    | "unlinkRepository"
    | "listRepositories"
    | "trustRepository"
    | "untrustRepository"
    | "listTrusts"
  > = {
    linkRepository: Effect.fn("Administration.linkRepository")(function* (params) {
      const account = yield* accountNamed(params.account)
      const repository: Repository = {
        id: RepositoryId.make(yield* random.uuidV7()),
        accountId: account.id,
        owner: params.owner,
        repo: params.repo,
        linkedAt: yield* DateTime.now,
        ...withoutUndefined({ defaultBranch: params.defaultBranch, webUrl: params.webUrl })
      }
      const before = yield* repositories.find(account.id, repositoryKey(params.owner, params.repo))
      const reason = Option.isNone(before) ? impossibleName(params) : undefined
      if (reason !== undefined) {
        return yield* refuse(`${params.owner}/${params.repo} can't be linked, because no code host has it: ${reason}.`)
      }
      const linked = auditing(
        ofRepository("repository.linked", repository, repository.linkedAt),
        repositories.link(repository),
        () => Option.isNone(before)
      )
      const link = yield* Effect.catchTag(linked, "LinkedElsewhere", () =>
        refuse(`${params.owner}/${params.repo} is linked to another account; unlink it there first.`, "elsewhere")
      )
      return yield* configured(link, params)
    }),

    configureRepository: Effect.fn("Administration.configureRepository")(function* (params) {
      return yield* configured(yield* linkOf(params), params)
    }),

    unlinkRepository: Effect.fn("Administration.unlinkRepository")(function* (params) {
      const account = yield* accountNamed(params.account)
      const key = repositoryKey(params.owner, params.repo)
      const isUnlinked = yield* auditing(
        ofRepository("repository.unlinked", { ...params, accountId: account.id }, yield* DateTime.now),
        repositories.unlink(account.id, key),
        (wasLinked) => wasLinked
      )
      if (!isUnlinked) {
        return yield* refuse(`${params.owner}/${params.repo} is not linked to ${params.account}.`, "unknown")
      }
    }),

    listRepositories: Effect.fn("Administration.listRepositories")(function* ({ account }) {
      return yield* repositories.list((yield* accountNamed(account)).id)
    }),

    trustRepository: Effect.fn("Administration.trustRepository")(function* (params) {
      const { conditions = {}, issuer, pinned, scopes, ...named } = params
      const { account, repository } = yield* linked(named, issuer)
      const trust: RepositoryTrust = {
        repositoryId: repository.id,
        accountId: account.id,
        issuer,
        scopes: distinctScopes(scopes),
        ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
        ...(pinned === undefined ? {} : { pinned }),
        createdAt: yield* DateTime.now
      }
      const detail = `${issuer}: ${[trust.scopes.join(" "), ...conditionsOf(trust)].join(", ")}`.slice(0, 1024)
      const stored = yield* auditing(
        { ...ofRepository("trust.created", repository, trust.createdAt), detail },
        trusts.trust(trust)
      )
      return { trust: stored, repository, account }
    }),

    untrustRepository: Effect.fn("Administration.untrustRepository")(function* ({ issuer, ...named }) {
      const { account, repository, trust } = yield* linked(named, issuer)
      const ended = auditing(
        { ...ofRepository("trust.ended", repository, yield* DateTime.now), detail: issuer },
        trusts.untrust(repository.id, issuer),
        (wasTrusted) => wasTrusted
      )
      if (Option.isNone(trust) || !(yield* ended)) {
        return yield* refuse(`${named.owner}/${named.repo} trusts no tokens of ${issuer}.`, "unknown")
      }
      return { trust: trust.value, repository, account }
    }),

    listTrusts: Effect.fn("Administration.listTrusts")(function* (params) {
      const account = yield* accountNamed(params.account)
      const listed = yield* trusts.list(account.id)
      return listed.map((one) => ({ ...one, account }))
    })
  }
  return commands
})

/** The command-line flag of a rule, such as `--builds-per-branch`. */
const flagOf = (rule: string): string => `--${rule.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`

/** Keeping resources, retention rules, and sweeps on demand. */
const makeRetentionCommands = Effect.gen(function* () {
  const retention = yield* RetentionStore
  const sweeps = yield* Sweeps
  const { reservationTtl, retention: deployment } = yield* Settings
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing
  const retentionHolds = yield* makeRetentionHolds

  const commands: Commands<"sweepStep" | "keep" | "release" | "retain"> = {
    sweepStep: (params) => sweeps.step(params),

    keep: Effect.fn("Administration.keep")(function* ({ resource }) {
      const heldSince = yield* retentionHolds.keep(resource)
      return Option.isSome(heldSince)
        ? heldSince.value
        : yield* refuse(`There is no ${nameOfResource(resource)}, or it was deleted.`, "unknown")
    }),

    release: Effect.fn("Administration.release")(function* ({ resource }) {
      if (!(yield* retentionHolds.release(resource))) {
        return yield* refuse(`There is no ${nameOfResource(resource)}, or it was deleted.`, "unknown")
      }
    }),

    retain: Effect.fn("Administration.retain")(function* ({ forget, rules, ...params }) {
      const account = yield* accountNamed(params.account)
      const before = Option.getOrElse(yield* retention.rules(account.id), (): RetentionRules => ({}))
      const remaining = Object.fromEntries(Object.entries(before).filter(([rule]) => !forget.includes(rule)))
      const changed: RetentionRules = { ...remaining, ...rules }
      const holding = rulesFor(deployment, changed)
      const refused = refuseRules(holding, reservationTtl)
      if (refused !== undefined) return yield* refuse(`${flagOf(refused.rule)} ${refused.message}`)
      const changes = changesText(before, changed)
      if (changes !== "") {
        yield* auditing(
          ofAccount("retention.changed", account, yield* DateTime.now, changes),
          retention.setRules({ accountId: account.id, rules: changed })
        )
      }
      return { account, own: changed, holding }
    })
  }
  return commands
})

interface OfAccount {
  readonly account: string
  readonly shared: Resource
}

const refuseShared = ({ account, shared }: OfAccount) =>
  refuse(
    `${account} has no ${nameOfResource(shared)}${"run" in shared ? " in a repository that is linked to it" : ""}.`
  )

/** Links that open a preview or a run without a key. */
const makeShareLinkCommands = Effect.gen(function* () {
  const shareLinks = yield* ShareLinks
  const { viewerUrl } = yield* Settings
  const accountNamed = yield* makeAccountNamed

  const commands: Commands<"createShareLink" | "listShareLinks" | "revokeShareLink"> = {
    createShareLink: Effect.fn("Administration.createShareLink")(function* (params) {
      const account = yield* accountNamed(params.account)
      const { link, secret } = yield* Effect.catchTags(shareLinks.create({ account }, params.shared, params.life), {
        NotFound: () => refuseShared(params),
        PreviewNotReady: ({ detail }) => refuse(detail)
      })
      return { account, link, url: shareUrl(viewerUrl, secret) }
    }),

    listShareLinks: Effect.fn("Administration.listShareLinks")(function* (params) {
      const account = yield* accountNamed(params.account)
      const links: Array<ShareLink> = []
      let after: ShareLinkId | undefined
      do {
        const page = yield* Effect.catchTag(shareLinks.list({ account }, params.shared, after), "NotFound", () =>
          refuseShared(params)
        )
        links.push(...page.links)
        after = page.next
      } while (after !== undefined)
      return { account, links }
    }),

    revokeShareLink: Effect.fn("Administration.revokeShareLink")(function* (params) {
      const account = yield* accountNamed(params.account)
      const link = yield* Effect.catchTag(shareLinks.revoke({ account }, params.shared, params.id), "NotFound", () =>
        refuse(`${params.account} has no share link ${params.id} to the ${nameOfResource(params.shared)}.`, "unknown")
      )
      return { account, link }
    })
  }
  return commands
})

const encodeBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

/** Webhooks, what they were sent, and events that were given up. */
const makeWebhookCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const outbox = yield* Outbox
  const webhooks = yield* WebhookStore
  const random = yield* SecureRandom
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing
  const publish = yield* makeEventPublisher

  const commands: Commands<
    | "listDeadEvents"
    | "replayEvent"
    | "addWebhook"
    | "listWebhooks"
    | "removeWebhook"
    | "resumeWebhook"
    | "testWebhook"
    | "listDeliveryAttempts"
  > = {
    listDeadEvents: Effect.fn("Administration.listDeadEvents")(function* () {
      const all: Array<DeadEvent> = []
      let after: DeliveryId | undefined
      do {
        const page = yield* outbox.dead({ after, limit: 100 })
        all.push(...page)
        after = page.at(-1)?.id
      } while (after !== undefined)
      return all
    }),

    replayEvent: Effect.fn("Administration.replayEvent")(function* ({ id }) {
      if (!(yield* outbox.replay(id, yield* DateTime.now))) {
        return yield* refuse(`No event with the id ${id} was given up.`, "unknown")
      }
    }),

    addWebhook: Effect.fn("Administration.addWebhook")(function* (params) {
      const account = params.account === undefined ? undefined : yield* accountNamed(params.account)
      const secret = `whsec_${encodeBase64(yield* random.randomBytes(32))}`
      const webhook = {
        id: WebhookId.make(yield* random.uuidV7()),
        url: params.url,
        types: [...new Set(params.types)],
        createdAt: yield* DateTime.now,
        ...withoutUndefined({
          accountId: account?.id,
          format: params.format,
          repository: params.repository,
          branch: params.branch
        })
      }
      yield* auditing(ofWebhook("webhook.created", webhook, webhook.createdAt), webhooks.insert({ ...webhook, secret }))
      return { webhook, secret, ...withoutUndefined({ account }) }
    }),

    listWebhooks: Effect.fn("Administration.listWebhooks")(function* () {
      const known = yield* accounts.list
      return (yield* webhooks.list).map((webhook) => ({
        webhook: Struct.omit(webhook, ["secret"]),
        ...withoutUndefined({ account: known.find(({ id }) => id === webhook.accountId) })
      }))
    }),

    removeWebhook: Effect.fn("Administration.removeWebhook")(function* ({ id }) {
      const webhook = Option.getOrUndefined(yield* webhooks.find(id))
      const removed =
        webhook !== undefined &&
        (yield* auditing(
          ofWebhook("webhook.removed", webhook, yield* DateTime.now),
          webhooks.remove(id),
          (wasThere) => wasThere
        ))
      if (!removed) return yield* refuse(`There is no webhook with the id ${id}.`, "unknown")
    }),

    resumeWebhook: Effect.fn("Administration.resumeWebhook")(function* ({ id }) {
      const resume = Effect.gen(function* () {
        const webhook = Option.getOrUndefined(yield* webhooks.find(id))
        if (webhook === undefined) return yield* refuse(`There is no webhook with the id ${id}.`, "unknown")
        const isChanged = yield* auditing(
          ofWebhook("webhook.resumed", webhook, yield* DateTime.now),
          webhooks.changeState({ webhook, state: {} }),
          (changed) => changed
        )
        if (!isChanged) return yield* new Conflict()
      })
      yield* retryOnConflict(resume)
    }),

    testWebhook: Effect.fn("Administration.testWebhook")(function* ({ id }) {
      const test = Effect.gen(function* () {
        const webhook = Option.getOrUndefined(yield* webhooks.find(id))
        if (webhook === undefined) return yield* refuse(`There is no webhook with the id ${id}.`)
        if (webhook.disabledAt !== undefined) {
          return yield* refuse(`The webhook ${id} is disabled. Resume it first: slipway event resume ${id}`)
        }
        const { failingSince } = webhook
        const isStored = yield* publish(webhookTest(webhook), yield* DateTime.now, (event) =>
          webhooks.changeState({ webhook, state: withoutUndefined({ failingSince }), event })
        )
        if (!isStored) return yield* new Conflict()
      })
      yield* retryOnConflict(test)
    }),

    listDeliveryAttempts: (query) => webhooks.attempts(query)
  }
  return commands
})

const refuseResource = (resource: Resource) =>
  refuse(`There is no ${nameOfResource(resource)}, or its repository is not linked.`, "unknown")

/** Deletes builds, previews and runs of any account. */
const makeDeletionCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const previews = yield* PreviewStore
  const builds = yield* BuildStore
  const runs = yield* TestRunStore
  const deleteBuild = yield* makeCommitBuildDeletion
  const deletePreview = yield* makeCommitPreviewDeletion
  const deleteRun = yield* makeCommitRunDeletion

  /** How people recognize the resource; `none` when it doesn't exist or its repository isn't linked. */
  const describe = (account: AccountId, resource: Resource) => {
    if ("build" in resource) {
      return Effect.map(
        builds.findById(account, resource.build),
        Option.map(
          ({ build: { branch, commitSha, platform }, repository: { owner, repo } }) =>
            `${owner}/${repo} ${branch} at ${commitSha.slice(0, 7)} (${platform})`
        )
      )
    }
    if ("preview" in resource) {
      return Effect.map(
        previews.findByShareId(account, resource.preview),
        Option.map(({ declaration: { git } }) =>
          [git.repo === undefined ? "" : `${git.owner ?? ""}/${git.repo}`, git.branch ?? ""].join(" ").trim()
        )
      )
    }
    return Effect.map(
      runs.find(account, resource.run),
      Option.map(({ repository: { owner, repo }, run }) => `${run.name ?? run.prompt ?? ""} of ${owner}/${repo}`)
    )
  }

  const find = Effect.fn("Administration.findResource")(function* (resource: Resource) {
    const account = Option.getOrUndefined(yield* accounts.findOwner(resource))
    if (account === undefined) return yield* refuseResource(resource)
    const name = Option.getOrUndefined(yield* describe(account.id, resource))
    return name === undefined ? yield* refuseResource(resource) : { account, name }
  })

  const deleteOf = (account: AccountId, resource: Resource): Effect.Effect<unknown, NotFound | WriteFailure> => {
    if ("build" in resource) return deleteBuild(account, resource.build)
    return "preview" in resource ? deletePreview(account, resource.preview) : deleteRun(account, resource.run)
  }

  const commands: Commands<"findResource" | "deleteResource"> = {
    findResource: ({ resource }) => find(resource),

    deleteResource: Effect.fn("Administration.deleteResource")(function* ({ resource }) {
      const target = yield* find(resource)
      yield* Effect.catchTag(deleteOf(target.account.id, resource), "NotFound", () => refuseResource(resource))
      return target
    })
  }
  return commands
})

/** Erasing accounts, step by step. */
const makeErasureCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const erasures = yield* Erasures

  const commands: Commands<"eraseAccount" | "eraseStep"> = {
    eraseAccount: Effect.fn("Administration.eraseAccount")(function* ({ account: name, id }) {
      const named = Option.getOrUndefined(yield* accounts.findByName(name))
      const account = id === undefined || named?.id === id ? named : undefined
      const earlier = yield* erasures.named(name, id)
      if (account !== undefined && earlier !== undefined) {
        const began = DateTime.formatIso(earlier.erasure.at)
        return yield* refuse(
          `An account named ${name} is being erased since ${began}, ${earlier.id}, and there is a new one of that name, ` +
            `${account.id}. Say by --id which one is meant.`
        )
      }
      const begun = account && (yield* erasures.begin(account))
      // Another command may have begun it in between.
      const known = begun ?? earlier ?? (yield* erasures.named(name, id))
      return (
        known ??
        (yield* refuse(`There is no account named ${name}${id === undefined ? "" : ` with the id ${id}`}.`, "unknown"))
      )
    }),

    eraseStep: Effect.fn("Administration.eraseStep")(function* ({ id }) {
      const erasing = Effect.map(erasures.list, (all) => all.find((one) => one.id === id))
      const before = yield* erasing
      if (before === undefined) return yield* refuse(`The account ${id} is not being erased.`, "unknown")
      const erased = yield* erasures.step(before)
      return { ...((yield* erasing) ?? before), isDone: Object.keys(erased).length === 0 }
    })
  }
  return commands
})

/** Any command. A method, because each takes the parameters of its own. */
interface AnyCommand {
  run(params: unknown): Effect.Effect<unknown, Effect.Error<ReturnType<AllCommands[keyof AllCommands]>>>
}

/** The commands, each of which checks its parameters by its payload's schema. */
const checkedCommands = (commands: AllCommands): AllCommands => ({
  ...commands,
  ...Object.fromEntries(
    Struct.keys(administrationMethods).map((name) => {
      const run: AnyCommand["run"] = commands[name]
      return [name, withParams(run, administrationMethods[name].payloadSchema)]
    })
  )
})

/**
 * What an administrator does: accounts, keys, links of repositories, share links, usage.
 *
 * Revocation, expiry and unlinking take effect on the next request, on every host.
 */
export class Administration extends Context.Service<Administration, AllCommands>()(
  "slipway/core/service/Administration"
) {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      return Administration.of(
        checkedCommands({
          ...(yield* makeAccountCommands),
          ...(yield* makeKeyCommands),
          ...(yield* makeRepositoryCommands),
          ...(yield* makeShareLinkCommands),
          ...(yield* makeDeletionCommands),
          ...(yield* makeErasureCommands),
          ...(yield* makeRetentionCommands),
          ...(yield* makeWebhookCommands)
        })
      )
    })
  )
}
