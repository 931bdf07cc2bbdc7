import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Duration } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { AccountId } from "../model/Account.ts"
import type { Account } from "../model/Account.ts"
import { KeyId } from "../model/ApiKey.ts"
import type { ApiKey, Scope } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import { repositoryKey, RepositoryId } from "../model/Repository.ts"
import type { Repository } from "../model/Repository.ts"
import type { Shared, ShareLink, ShareLinkId } from "../model/ShareLink.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import type { KeyOwner } from "../ports/KeyStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import type { MonthlyUsage } from "../ports/PreviewStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { rotatedExpiry } from "../rules/keys.ts"
import { base62, hashSecret, makeKey } from "../rules/secrets.ts"
import { shareUrl } from "../rules/shareLinks.ts"
import { Settings } from "./Settings.ts"
import { ShareLinks } from "./ShareLinks.ts"

/** An order that can't be carried out; `message` is for the administrator. Nothing was changed. */
export class AdministrationRefused extends Schema.TaggedError<AdministrationRefused>()("AdministrationRefused", {
  message: Schema.String
}) {}

/** A key that was just made; the only time that `key` itself is shown. */
export interface IssuedKey {
  readonly key: string
  readonly record: ApiKey
  readonly account: Account
}

/** A share link of an account. */
export interface ShareLinkOwner {
  readonly account: Account
  readonly link: ShareLink
}

type Refusal = AdministrationRefused | Unavailable

/** One thing of an account that can be shared. */
interface OfAccount {
  readonly account: string
  readonly shared: Shared
}

const nameOf = (shared: Shared): string =>
  "preview" in shared ? `preview ${shared.preview}` : `test run ${shared.run}`

/**
 * What an administrator does: accounts, keys, links of repositories, share links, usage. Accounts are named by their name.
 *
 * Revocation, expiry and unlinking take effect on the next request, on every host.
 */
export class Administration extends Context.Service<
  Administration,
  {
    readonly createAccount: (name: string) => Effect.Effect<Account, Refusal>
    readonly listAccounts: Effect.Effect<ReadonlyArray<Account>, Refusal>
    readonly createKey: (order: {
      readonly account: string
      readonly name: string
      readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
      readonly life?: Duration.Duration | undefined
    }) => Effect.Effect<IssuedKey, Refusal>
    readonly listKeys: (
      account: string
    ) => Effect.Effect<{ readonly account: Account; readonly keys: ReadonlyArray<ApiKey> }, Refusal>
    readonly revokeKey: (id: KeyId) => Effect.Effect<KeyOwner, Refusal>
    /** Issues a key of the same account, name and scopes; the old one ends after `overlap`. */
    readonly rotateKey: (id: KeyId, overlap: Duration.Duration) => Effect.Effect<IssuedKey, Refusal>
    readonly linkRepository: (order: {
      readonly account: string
      readonly owner: string
      readonly repo: string
    }) => Effect.Effect<Repository, Refusal>
    readonly unlinkRepository: (order: {
      readonly account: string
      readonly owner: string
      readonly repo: string
    }) => Effect.Effect<void, Refusal>
    readonly listRepositories: (account: string) => Effect.Effect<ReadonlyArray<Repository>, Refusal>
    /** Makes a link as `ShareLinks.create` does; the only time that its `url` is shown. */
    readonly createShareLink: (
      order: OfAccount & { readonly life?: Duration.Duration | undefined }
    ) => Effect.Effect<ShareLinkOwner & { readonly url: string }, Refusal>
    /** Every link to one thing, newest first, those that ended too. */
    readonly listShareLinks: (
      order: OfAccount
    ) => Effect.Effect<{ readonly account: Account; readonly links: ReadonlyArray<ShareLink> }, Refusal>
    readonly revokeShareLink: (
      order: OfAccount & { readonly id: ShareLinkId }
    ) => Effect.Effect<ShareLinkOwner, Refusal>
    /** What is billed: the test runs that the account's previews were finalized as, by month in UTC, the latest first. */
    readonly usage: (
      account: string
    ) => Effect.Effect<{ readonly account: Account; readonly months: ReadonlyArray<MonthlyUsage> }, Refusal>
  }
>()("slipway/core/service/Administration") {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* KeyStore
      const repositories = yield* RepositoryStore
      const previews = yield* PreviewStore
      const shareLinks = yield* ShareLinks
      const { viewerUrl } = yield* Settings
      const random = yield* SecureRandom

      const refuse = (message: string) => Effect.fail(new AdministrationRefused({ message }))

      const accountNamed = Effect.fnUntraced(function* (name: string) {
        const found = yield* accounts.findByName(name)
        return Option.isSome(found) ? found.value : yield* refuse(`There is no account named ${name}.`)
      })

      const newKey = Effect.gen(function* () {
        const characters = base62(yield* random.randomBytes(120), 40)
        return characters === undefined ? yield* Effect.die("too few random bytes for a key") : makeKey(characters)
      })

      const createAccount = Effect.fn("Administration.createAccount")(function* (name: string) {
        const account: Account = {
          id: AccountId.make(yield* random.uuidV7()),
          name,
          createdAt: yield* DateTime.now
        }
        yield* Effect.catchTag(accounts.insert(account), "NameTaken", () =>
          refuse(`There is an account named ${name} already.`)
        )
        return account
      })

      const createKey = Effect.fn("Administration.createKey")(function* (order: {
        readonly account: string
        readonly name: string
        readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
        readonly life?: Duration.Duration | undefined
      }) {
        const account = yield* accountNamed(order.account)
        const createdAt = yield* DateTime.now
        const key = yield* newKey
        const [first, ...others] = order.scopes
        const record: ApiKey = {
          id: KeyId.make(yield* random.uuidV7()),
          accountId: account.id,
          name: order.name,
          hash: hashSecret(key),
          scopes: [first, ...new Set(others.filter((scope) => scope !== first))],
          createdAt,
          ...(order.life === undefined ? {} : { expiresAt: DateTime.addDuration(createdAt, order.life) })
        }
        yield* keys.insert(record)
        return { key, record, account }
      })

      const listKeys = Effect.fn("Administration.listKeys")(function* (name: string) {
        const account = yield* accountNamed(name)
        return { account, keys: yield* keys.list(account.id) }
      })

      const revokeKey = Effect.fn("Administration.revokeKey")(function* (id: KeyId) {
        yield* keys.revoke(id, yield* DateTime.now)
        const revoked = yield* keys.findById(id)
        return Option.isSome(revoked) ? revoked.value : yield* refuse(`There is no key with the id ${id}.`)
      })

      const rotateKey = Effect.fn("Administration.rotateKey")(function* (id: KeyId, overlap: Duration.Duration) {
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
          ...(life === undefined ? {} : { expiresAt: DateTime.addDuration(now, life) })
        }
        const oldExpiresAt = rotatedExpiry(old.key, now, overlap)
        return (yield* keys.rotate({ old: id, oldExpiresAt, now, replacement }))
          ? { key, record: replacement, account: old.account }
          : yield* refuse(`The key ${id} is revoked or expired; create a new one instead.`)
      })

      const linkRepository = Effect.fn("Administration.linkRepository")(function* (order: {
        readonly account: string
        readonly owner: string
        readonly repo: string
      }) {
        const account = yield* accountNamed(order.account)
        const repository: Repository = {
          id: RepositoryId.make(yield* random.uuidV7()),
          accountId: account.id,
          owner: order.owner,
          repo: order.repo,
          linkedAt: yield* DateTime.now
        }
        return yield* Effect.catchTag(repositories.link(repository), "LinkedElsewhere", () =>
          refuse(`${order.owner}/${order.repo} is linked to another account; unlink it there first.`)
        )
      })

      const unlinkRepository = Effect.fn("Administration.unlinkRepository")(function* (order: {
        readonly account: string
        readonly owner: string
        readonly repo: string
      }) {
        const account = yield* accountNamed(order.account)
        const key = repositoryKey(order.owner, order.repo)
        if (!(yield* repositories.unlink(account.id, key))) {
          return yield* refuse(`${order.owner}/${order.repo} is not linked to ${order.account}.`)
        }
      })

      const listRepositories = Effect.fn("Administration.listRepositories")(function* (name: string) {
        return yield* repositories.list((yield* accountNamed(name)).id)
      })

      const refuseShared = ({ account, shared }: OfAccount) =>
        refuse(`${account} has no ${nameOf(shared)}${"run" in shared ? " in a repository that is linked to it" : ""}.`)

      const createShareLink = Effect.fn("Administration.createShareLink")(function* (
        order: OfAccount & { readonly life?: Duration.Duration | undefined }
      ) {
        const account = yield* accountNamed(order.account)
        const { link, secret } = yield* Effect.catchTags(shareLinks.create({ account }, order.shared, order.life), {
          NotFound: () => refuseShared(order),
          PreviewNotReady: ({ detail }) => refuse(detail)
        })
        return { account, link, url: shareUrl(viewerUrl, secret) }
      })

      const listShareLinks = Effect.fn("Administration.listShareLinks")(function* (order: OfAccount) {
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
      })

      const revokeShareLink = Effect.fn("Administration.revokeShareLink")(function* (
        order: OfAccount & { readonly id: ShareLinkId }
      ) {
        const account = yield* accountNamed(order.account)
        const link = yield* Effect.catchTag(shareLinks.revoke({ account }, order.shared, order.id), "NotFound", () =>
          refuse(`${order.account} has no share link ${order.id} to the ${nameOf(order.shared)}.`)
        )
        return { account, link }
      })

      const usage = Effect.fn("Administration.usage")(function* (name: string) {
        const account = yield* accountNamed(name)
        return { account, months: yield* previews.usage(account.id) }
      })

      return Administration.of({
        createAccount,
        listAccounts: accounts.list,
        createKey,
        listKeys,
        revokeKey,
        rotateKey,
        linkRepository,
        unlinkRepository,
        listRepositories,
        createShareLink,
        listShareLinks,
        revokeShareLink,
        usage
      })
    })
  )
}
