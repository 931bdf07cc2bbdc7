import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { Rpc } from "effect/rpc"
import { AccountId, type Account } from "../model/Account.ts"
import type { Deletable } from "../model/Deletable.ts"
import type { NotFound } from "../model/Problem.ts"
import { KeyId, type ApiKey } from "../model/ApiKey.ts"
import { repositoryKey, RepositoryId, type Repository } from "../model/Repository.ts"
import type { RetentionRules } from "../model/Retention.ts"
import type { RepositoryTrust } from "../model/RepositoryTrust.ts"
import type { Shared, ShareLink, ShareLinkId } from "../model/ShareLink.ts"
import { WebhookId, type Webhook } from "../model/Webhook.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { Outbox, type DeadEvent, type DeliveryId } from "../ports/Outbox.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RetentionStore, type Keepable } from "../ports/RetentionStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { TrustStore } from "../ports/TrustStore.ts"
import { UsageStore } from "../ports/UsageStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { refuseRules, rulesFor } from "../rules/retention.ts"
import { rotatedExpiry } from "../rules/keys.ts"
import { monthOf } from "../rules/quotas.ts"
import { hashSecret, makeKey } from "../rules/secrets.ts"
import { shareUrl } from "../rules/shareLinks.ts"
import { AdministrationRefused, type administrationMethods } from "./administrationMethods.ts"
import { makeCommitBuildDeletion, makeCommitPreviewDeletion, makeCommitRunDeletion } from "./commitDeletions.ts"
import { makeRandomText } from "./randomText.ts"
import { Erasures } from "./Erasures.ts"
import { Sweeps } from "./Sweeps.ts"
import { Settings } from "./Settings.ts"
import { ShareLinks } from "./ShareLinks.ts"
import { makeUsageOf } from "./Usage.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { keyMade, keyRevoked } from "../rules/events.ts"
import { makeAuditing } from "./auditing.ts"
import { makeTelling } from "./telling.ts"

const encodeBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

interface OfAccount {
  readonly account: string
  readonly shared: Shared
}

const nameOf = (shared: Shared): string =>
  "preview" in shared ? `preview ${shared.preview}` : `test run ${shared.run}`

const idOf = (thing: Deletable): string =>
  "build" in thing ? `build ${thing.build}` : nameOf("preview" in thing ? thing : { run: thing.run })
const keepableName = (thing: Keepable): string => ("build" in thing ? `build ${thing.build}` : nameOf(thing))

/** The name of a rule as people give it: `--builds-per-branch`. */
const flagOf = (rule: string): string => `--${rule.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`

/** Scopes, each once. */
const distinct = ([first, ...others]: ApiKey["scopes"]): ApiKey["scopes"] => [
  first,
  ...new Set(others.filter((scope) => scope !== first))
]

const ofKey = (action: "key.created" | "key.revoked" | "key.rotated", key: ApiKey, at: DateTime.Utc) => ({
  action,
  accountId: key.accountId,
  at,
  subject: `key:${key.id}`,
  detail: `${key.name}: ${key.scopes.join(" ")}`
})

const ofRepository = (
  action: "repository.linked" | "repository.unlinked" | "trust.created" | "trust.ended",
  { accountId, owner, repo }: Pick<Repository, "accountId" | "owner" | "repo">,
  at: DateTime.Utc
) => ({ action, accountId, at, subject: `repository:${owner}/${repo}` })

const ofAccount = (action: "quotas.changed" | "retention.changed", { id, name }: Account, at: DateTime.Utc) => ({
  action,
  accountId: id,
  at,
  subject: `account:${id}`,
  detail: name
})

const subjectOf = (thing: Keepable): string => Object.entries(thing).join().replace(",", ":")

const ofWebhook = (
  action: "webhook.created" | "webhook.removed",
  { accountId, id, url }: Pick<Webhook, "accountId" | "id" | "url">,
  at: DateTime.Utc
) => ({ action, accountId, at, subject: `webhook:${id}`, detail: new URL(url).origin })

type Methods = typeof administrationMethods

/**
 * What an administrator does: accounts, keys, links of repositories, share links, usage.
 *
 * Revocation, expiry and unlinking take effect on the next request, on every host.
 */
export class Administration extends Context.Service<
  Administration,
  {
    readonly [Method in keyof Methods]: (
      order: Rpc.PayloadConstructor<Methods[Method]>
    ) => Effect.Effect<Rpc.Success<Methods[Method]>, Rpc.Error<Methods[Method]>>
  }
>()("slipway/core/service/Administration") {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const auditLog = yield* AuditLog
      const keys = yield* KeyStore
      const repositories = yield* RepositoryStore
      const previews = yield* PreviewStore
      const builds = yield* BuildStore
      const runs = yield* TestRunStore
      const deleteBuild = yield* makeCommitBuildDeletion
      const deletePreview = yield* makeCommitPreviewDeletion
      const deleteRun = yield* makeCommitRunDeletion
      const shareLinks = yield* ShareLinks
      const outbox = yield* Outbox
      const trusts = yield* TrustStore
      const usages = yield* UsageStore
      const usageOf = yield* makeUsageOf
      const webhooks = yield* WebhookStore
      const retention = yield* RetentionStore
      const sweeps = yield* Sweeps
      const erasures = yield* Erasures
      const { reservationTtl, retention: deployment, viewerUrl } = yield* Settings
      const random = yield* SecureRandom
      const randomText = yield* makeRandomText
      const telling = yield* makeTelling
      const auditing = yield* makeAuditing

      const refuse = (message: string) => Effect.fail(new AdministrationRefused({ message }))

      const accountNamed = Effect.fnUntraced(function* (name: string) {
        const found = yield* accounts.findByName(name)
        return Option.isSome(found) ? found.value : yield* refuse(`There is no account named ${name}.`)
      })

      /** A repository of whichever account links it, and what it trusts of the issuer. */
      const linked = Effect.fnUntraced(function* (
        { owner, repo }: { readonly owner: string; readonly repo: string },
        issuer: string
      ) {
        const found = yield* trusts.find(repositoryKey(owner, repo), issuer)
        return Option.isSome(found)
          ? found.value
          : yield* refuse(
              `${owner}/${repo} is not linked to an account; link it first: slipway repo link ${owner}/${repo} --account NAME`
            )
      })

      const newKey = Effect.map(
        Effect.suspend(() => randomText(40)),
        makeKey
      )

      const refuseShared = ({ account, shared }: OfAccount) =>
        refuse(`${account} has no ${nameOf(shared)}${"run" in shared ? " in a repository that is linked to it" : ""}.`)

      const refuseThing = (thing: Deletable) => refuse(`There is no ${idOf(thing)}, or its repository is not linked.`)

      /** What an account calls its thing; `none` when it isn't the account's. */
      const nameIn = ({ id: account }: Account, thing: Deletable) =>
        "build" in thing
          ? Effect.map(
              builds.findById(account, thing.build),
              Option.map(
                ({ build: { branch, commitSha, platform }, repository: { owner, repo } }) =>
                  `${owner}/${repo} ${branch} at ${commitSha.slice(0, 7)} (${platform})`
              )
            )
          : "preview" in thing
            ? Effect.map(
                previews.findByShareId(account, thing.preview),
                Option.map(({ declaration: { git } }) =>
                  [git.repo === undefined ? "" : `${git.owner ?? ""}/${git.repo}`, git.branch ?? ""].join(" ").trim()
                )
              )
            : Effect.map(
                runs.find(account, thing.run),
                Option.map(
                  ({ repository: { owner, repo }, run }) => `${run.name ?? run.prompt ?? ""} of ${owner}/${repo}`
                )
              )

      const find = Effect.fn("Administration.findDeletable")(function* (thing: Deletable) {
        for (const account of yield* accounts.list) {
          const name = yield* nameIn(account, thing)
          if (Option.isSome(name)) return { account, name: name.value }
        }
        return yield* refuseThing(thing)
      })

      return Administration.of({
        createAccount: Effect.fn("Administration.createAccount")(function* ({ name }) {
          const account: Account = {
            id: AccountId.make(yield* random.uuidV7()),
            name,
            createdAt: yield* DateTime.now
          }
          const created = auditing(
            {
              action: "account.created",
              accountId: account.id,
              at: account.createdAt,
              subject: `account:${account.id}`,
              detail: name
            },
            accounts.insert(account)
          )
          yield* Effect.catchTag(created, "NameTaken", () => refuse(`There is an account named ${name} already.`))
          return account
        }),

        listAccounts: () => accounts.list,

        eraseAccount: Effect.fn("Administration.eraseAccount")(function* ({ account: name }) {
          const account = Option.getOrUndefined(yield* accounts.findByName(name))
          const begun = account && (yield* erasures.begin(account))
          return begun ?? (yield* erasures.named(name)) ?? (yield* refuse(`There is no account named ${name}.`))
        }),

        eraseStep: Effect.fn("Administration.eraseStep")(function* ({ id }) {
          const erasing = Effect.map(erasures.list, (all) => all.find((one) => one.id === id))
          const before = yield* erasing
          if (before === undefined) return yield* refuse(`The account ${id} is not being erased.`)
          const gone = yield* erasures.step(before)
          return { ...((yield* erasing) ?? before), isDone: Object.keys(gone).length === 0 }
        }),

        createKey: Effect.fn("Administration.createKey")(function* (order) {
          const account = yield* accountNamed(order.account)
          const createdAt = yield* DateTime.now
          const key = yield* newKey
          const record: ApiKey = {
            id: KeyId.make(yield* random.uuidV7()),
            accountId: account.id,
            name: order.name,
            hash: hashSecret(key),
            scopes: distinct(order.scopes),
            createdAt,
            ...withoutUndefined({ expiresAt: order.life && DateTime.addDuration(createdAt, order.life) })
          }
          yield* telling(keyMade(record), createdAt, (event) =>
            auditing(ofKey("key.created", record, createdAt), keys.insert(record, event))
          )
          return { key, record, account }
        }),

        listKeys: Effect.fn("Administration.listKeys")(function* (order) {
          const account = yield* accountNamed(order.account)
          return { account, keys: yield* keys.list(account.id) }
        }),

        revokeKey: Effect.fn("Administration.revokeKey")(function* ({ id }) {
          const found = yield* keys.findById(id)
          if (Option.isNone(found)) return yield* refuse(`There is no key with the id ${id}.`)
          const { account, key: before } = found.value
          const now = yield* DateTime.now
          const revoked = yield* telling(keyRevoked(before), now, (event) =>
            auditing(
              ofKey("key.revoked", before, now),
              keys.revoke(id, now, event),
              () => before.revokedAt === undefined
            )
          )
          return { account, key: Option.getOrElse(revoked, () => before) }
        }),

        rotateKey: Effect.fn("Administration.rotateKey")(function* ({ id, overlap }) {
          const old = Option.getOrUndefined(yield* keys.findById(id))
          if (old === undefined) return yield* refuse(`There is no key with the id ${id}.`)
          const now = yield* DateTime.now
          const key = yield* newKey
          const life =
            old.key.expiresAt === undefined ? undefined : DateTime.distance(old.key.createdAt, old.key.expiresAt)
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
          const isRotated = yield* telling(keyMade(replacement), now, (event) =>
            auditing(
              { ...ofKey("key.rotated", old.key, now), detail: `${old.key.name}, replaced by key:${replacement.id}` },
              keys.rotate({ old: id, oldExpiresAt, now, replacement, event }),
              (isRotated) => isRotated
            )
          )
          return isRotated
            ? { key, record: replacement, account: old.account }
            : yield* refuse(`The key ${id} is revoked or expired; create a new one instead.`)
        }),

        linkRepository: Effect.fn("Administration.linkRepository")(function* (order) {
          const account = yield* accountNamed(order.account)
          const repository: Repository = {
            id: RepositoryId.make(yield* random.uuidV7()),
            accountId: account.id,
            owner: order.owner,
            repo: order.repo,
            linkedAt: yield* DateTime.now
          }
          const before = yield* repositories.find(account.id, repositoryKey(order.owner, order.repo))
          const linked = auditing(
            ofRepository("repository.linked", repository, repository.linkedAt),
            repositories.link(repository),
            () => Option.isNone(before)
          )
          return yield* Effect.catchTag(linked, "LinkedElsewhere", () =>
            refuse(`${order.owner}/${order.repo} is linked to another account; unlink it there first.`)
          )
        }),

        unlinkRepository: Effect.fn("Administration.unlinkRepository")(function* (order) {
          const account = yield* accountNamed(order.account)
          const key = repositoryKey(order.owner, order.repo)
          const isUnlinked = yield* auditing(
            ofRepository("repository.unlinked", { ...order, accountId: account.id }, yield* DateTime.now),
            repositories.unlink(account.id, key),
            (wasLinked) => wasLinked
          )
          if (!isUnlinked) {
            return yield* refuse(`${order.owner}/${order.repo} is not linked to ${order.account}.`)
          }
        }),

        listRepositories: Effect.fn("Administration.listRepositories")(function* ({ account }) {
          return yield* repositories.list((yield* accountNamed(account)).id)
        }),

        trustRepository: Effect.fn("Administration.trustRepository")(function* ({ issuer, scopes, ...named }) {
          const { account, repository } = yield* linked(named, issuer)
          const trust: RepositoryTrust = {
            repositoryId: repository.id,
            accountId: account.id,
            issuer,
            scopes: distinct(scopes),
            createdAt: yield* DateTime.now
          }
          const detail = `${issuer}: ${trust.scopes.join(" ")}`
          yield* auditing(
            { ...ofRepository("trust.created", repository, trust.createdAt), detail },
            trusts.trust(trust)
          )
          return { trust, repository, account }
        }),

        untrustRepository: Effect.fn("Administration.untrustRepository")(function* ({ issuer, ...named }) {
          const { account, repository, trust } = yield* linked(named, issuer)
          const ended = auditing(
            { ...ofRepository("trust.ended", repository, yield* DateTime.now), detail: issuer },
            trusts.untrust(repository.id, issuer),
            (wasTrusted) => wasTrusted
          )
          if (Option.isNone(trust) || !(yield* ended)) {
            return yield* refuse(`${named.owner}/${named.repo} trusts no tokens of ${issuer}.`)
          }
          return { trust: trust.value, repository, account }
        }),

        listTrusts: Effect.fn("Administration.listTrusts")(function* (order) {
          const account = yield* accountNamed(order.account)
          const found = yield* trusts.list(account.id)
          return found.map((one) => ({ ...one, account }))
        }),

        createShareLink: Effect.fn("Administration.createShareLink")(function* (order) {
          const account = yield* accountNamed(order.account)
          const { link, secret } = yield* Effect.catchTags(shareLinks.create({ account }, order.shared, order.life), {
            NotFound: () => refuseShared(order),
            PreviewNotReady: ({ detail }) => refuse(detail)
          })
          return { account, link, url: shareUrl(viewerUrl, secret) }
        }),

        listShareLinks: Effect.fn("Administration.listShareLinks")(function* (order) {
          const account = yield* accountNamed(order.account)
          const links: Array<ShareLink> = []
          let after: ShareLinkId | undefined
          do {
            const page = yield* Effect.catchTag(shareLinks.list({ account }, order.shared, after), "NotFound", () =>
              refuseShared(order)
            )
            links.push(...page.links)
            after = page.next
          } while (after !== undefined)
          return { account, links }
        }),

        revokeShareLink: Effect.fn("Administration.revokeShareLink")(function* (order) {
          const account = yield* accountNamed(order.account)
          const link = yield* Effect.catchTag(shareLinks.revoke({ account }, order.shared, order.id), "NotFound", () =>
            refuse(`${order.account} has no share link ${order.id} to the ${nameOf(order.shared)}.`)
          )
          return { account, link }
        }),

        findDeletable: ({ thing }) => find(thing),

        deleteThing: Effect.fn("Administration.deleteThing")(function* ({ thing }) {
          const found = yield* find(thing)
          const { id } = found.account
          const deleting: Effect.Effect<unknown, NotFound | WriteFailure> =
            "build" in thing
              ? deleteBuild(id, thing.build)
              : "preview" in thing
                ? deletePreview(id, thing.preview)
                : deleteRun(id, thing.run)
          yield* Effect.catchTag(deleting, "NotFound", () => refuseThing(thing))
          return found
        }),

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
            return yield* refuse(`No event with the id ${id} was given up.`)
          }
        }),

        addWebhook: Effect.fn("Administration.addWebhook")(function* (order) {
          const account = order.account === undefined ? undefined : yield* accountNamed(order.account)
          const secret = `whsec_${encodeBase64(yield* random.randomBytes(32))}`
          const webhook = {
            id: WebhookId.make(yield* random.uuidV7()),
            url: order.url,
            types: [...new Set(order.types)],
            createdAt: yield* DateTime.now,
            ...withoutUndefined({ accountId: account?.id })
          }
          yield* auditing(
            ofWebhook("webhook.created", webhook, webhook.createdAt),
            webhooks.insert({ ...webhook, secret })
          )
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
          if (!removed) return yield* refuse(`There is no webhook with the id ${id}.`)
        }),

        listDeliveryAttempts: (query) => webhooks.attempts(query),

        sweepStep: (order) => sweeps.step(order),

        keep: Effect.fn("Administration.keep")(function* ({ thing }) {
          const now = yield* DateTime.now
          const kept = yield* auditing(
            { action: "thing.kept", at: now, subject: subjectOf(thing) },
            retention.keep(thing, now),
            (since) => Option.contains(since, now)
          )
          return Option.isSome(kept)
            ? kept.value
            : yield* refuse(`There is no ${keepableName(thing)}; it may be deleted.`)
        }),

        release: Effect.fn("Administration.release")(function* ({ thing }) {
          const isReleased = yield* auditing(
            { action: "thing.released", at: yield* DateTime.now, subject: subjectOf(thing) },
            retention.release(thing),
            (isThere) => isThere
          )
          if (!isReleased) {
            return yield* refuse(`There is no ${keepableName(thing)}; it may be deleted.`)
          }
        }),

        retain: Effect.fn("Administration.retain")(function* ({ forget, rules, ...order }) {
          const account = yield* accountNamed(order.account)
          const before = Option.getOrElse(yield* retention.rules(account.id), (): RetentionRules => ({}))
          const kept = Object.fromEntries(Object.entries(before).filter(([rule]) => !forget.includes(rule)))
          const own: RetentionRules = { ...kept, ...rules }
          const holding = rulesFor(deployment, own)
          const refused = refuseRules(holding, reservationTtl)
          if (refused !== undefined) return yield* refuse(`${flagOf(refused.rule)} ${refused.message}`)
          if (forget.length > 0 || Object.keys(rules).length > 0) {
            yield* auditing(
              ofAccount("retention.changed", account, yield* DateTime.now),
              retention.setRules({ accountId: account.id, rules: own })
            )
          }
          return { account, own, holding }
        }),

        listAudit: Effect.fn("Administration.listAudit")(function* (order) {
          const account = order.account === undefined ? undefined : (yield* accountNamed(order.account)).id
          return yield* auditLog.list({ account, limit: order.limit })
        }),

        usage: Effect.fn("Administration.usage")(function* (order) {
          const account = yield* accountNamed(order.account)
          return { account, usage: yield* usageOf(account.id), months: yield* previews.usage(account.id) }
        }),

        setQuotas: Effect.fn("Administration.setQuotas")(function* (order) {
          const account = yield* accountNamed(order.account)
          const now = yield* DateTime.now
          const { own } = yield* usages.find(account.id, monthOf(now), now)
          const changed = Object.entries({ ...own, ...order.quotas }).filter(([, amount]) => amount !== null)
          yield* auditing(
            ofAccount("quotas.changed", account, now),
            usages.setQuotas({ accountId: account.id, ...Object.fromEntries(changed) })
          )
          return { account, usage: yield* usageOf(account.id) }
        })
      })
    })
  )
}
