import { Context, Data, DateTime, Effect, Layer, Option, type Duration } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { Caller } from "../model/ApiKey.ts"
import { NotFound, PreviewNotReady, type InvalidRequest, type Unavailable } from "../model/Problem.ts"
import { type Shared, sharedKindAndId, type ShareLink, ShareLinkId, subjectOf } from "../model/Resource.ts"
import { repositoryKey } from "../model/Repository.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { ShareLinkStore } from "../ports/ShareLinkStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { buildText, previewText } from "../rules/audit.ts"
import { pageOf } from "../rules/pages.ts"
import { hashSecret, isOpen, lifeOf } from "../rules/credentials.ts"
import { orNotFound } from "./Authorization.ts"
import { makeRandomText } from "./randomText.ts"
import { shareCreated, shareRevoked } from "../rules/events.ts"
import { makeAuditing } from "./auditing.ts"
import { makeEventPublisher } from "./webhooks.ts"
import { inSpan } from "./telemetry.ts"

/** The link existed and no longer works: it is revoked or has expired. */
export class ShareLinkEnded extends Data.TaggedError("ShareLinkEnded") {}

/** A new link. This is the only time that its secret is shown. */
export interface IssuedShareLink {
  readonly link: ShareLink
  readonly secret: string
}

/** The links to one resource, newest first, including ended ones. `next` continues after the page; without it, this is the last page. */
export interface ShareLinkPage {
  readonly links: ReadonlyArray<ShareLink>
  readonly next?: ShareLinkId
}

/** The account whose resources are shared. */
export type Owner = Pick<Caller, "account">

const ofLink = (
  action: "share.created" | "share.revoked",
  link: ShareLink,
  at: DateTime.Utc,
  name = sharedKindAndId(link.shared)[1]
) => ({
  action,
  accountId: link.accountId,
  at,
  subject: `share:${link.id}`,
  detail: `${sharedKindAndId(link.shared)[0]} ${name}`
})

const secretForm = /^[0-9A-Za-z]{32}$/
const linksOnPage = 100

/**
 * Links that open one build, preview, test run or badge, read-only and without a key, until they expire or are revoked. There is no other
 * way to read anything without a key. An account creates, lists and revokes only links to its own resources.
 */
export class ShareLinks extends Context.Service<
  ShareLinks,
  {
    /**
     * Creates a link that lives for `life`, by default a week, within `shareLife`. `NotFound` when the account has no such resource,
     * `PreviewNotReady` when it is a preview that isn't finalized.
     */
    readonly create: (
      owner: Owner,
      shared: Shared,
      life?: Duration.Duration
    ) => Effect.Effect<IssuedShareLink, NotFound | InvalidRequest | PreviewNotReady | WriteFailure>
    /** A page of up to 100 links to one resource, older than `after` where given. `NotFound` as for `create`. */
    readonly list: (
      owner: Owner,
      shared: Shared,
      after?: ShareLinkId
    ) => Effect.Effect<ShareLinkPage, NotFound | InvalidRequest | Unavailable>
    /**
     * Revokes a link: it stops working on every host from the next request on. Revoking it again changes nothing. `NotFound` when the
     * account has no such link to that resource. The resource itself may be deleted.
     */
    readonly revoke: (
      owner: Owner,
      shared: Shared,
      id: ShareLinkId
    ) => Effect.Effect<ShareLink, NotFound | InvalidRequest | WriteFailure>
    /** The link with that secret. `NotFound` when there is none, `ShareLinkEnded` when it is revoked or expired. */
    readonly open: (
      secret: string
    ) => Effect.Effect<ShareLink, NotFound | InvalidRequest | ShareLinkEnded | Unavailable>
    /** The link with that id, for a visitor who opened it before. Fails as `open` does. */
    readonly check: (
      id: ShareLinkId
    ) => Effect.Effect<ShareLink, NotFound | InvalidRequest | ShareLinkEnded | Unavailable>
  }
>()("slipway/core/service/ShareLinks") {
  static readonly layer = Layer.effect(
    ShareLinks,
    Effect.gen(function* () {
      const store = yield* ShareLinkStore
      const builds = yield* BuildStore
      const previews = yield* PreviewStore
      const runs = yield* TestRunStore
      const repositories = yield* RepositoryStore
      const random = yield* SecureRandom
      const randomText = yield* makeRandomText
      const publish = yield* makeEventPublisher
      const auditing = yield* makeAuditing

      /** What people call it, if it has a name. `NotFound` unless it is the account's. `isReady` is false for a preview that isn't finalized. */
      const owned = Effect.fnUntraced(function* ({ account }: Owner, shared: Shared) {
        if ("preview" in shared) {
          const preview = yield* Effect.flatMap(previews.findByShareId(account.id, shared.preview), orNotFound)
          return { name: previewText(preview.declaration), isReady: preview.finalizedAt !== undefined }
        }
        if ("build" in shared) {
          const { build } = yield* Effect.flatMap(builds.findById(account.id, shared.build), orNotFound)
          return { name: buildText(build), isReady: true }
        }
        if ("badge" in shared) {
          const { branch, owner, repo } = shared.badge
          yield* Effect.flatMap(repositories.find(account.id, repositoryKey(owner, repo)), orNotFound)
          return { name: `${owner}/${repo} ${branch}`, isReady: true }
        }
        const { run } = yield* Effect.flatMap(runs.find(account.id, shared.run), orNotFound)
        return { name: run.name, isReady: true }
      })

      const create = Effect.fnUntraced(function* (owner: Owner, shared: Shared, life?: Duration.Duration) {
        const { isReady, name } = yield* owned(owner, shared)
        if (!isReady) {
          return yield* new PreviewNotReady({ detail: "The preview is not finalized; finalize it, then share it." })
        }
        const secret = yield* randomText(32)
        const createdAt = yield* DateTime.now
        const link: ShareLink = {
          id: ShareLinkId.make(yield* random.uuidV7()),
          accountId: owner.account.id,
          shared,
          secretHash: hashSecret(secret),
          createdAt,
          expiresAt: DateTime.addDuration(createdAt, lifeOf(life))
        }
        yield* publish(shareCreated(link), createdAt, (event) =>
          auditing(ofLink("share.created", link, createdAt, name), store.insert(link, event))
        )
        return { link, secret }
      }, inSpan("ShareLinks.create"))

      const list = Effect.fnUntraced(function* (owner: Owner, shared: Shared, after?: ShareLinkId) {
        yield* owned(owner, shared)
        const rows = yield* store.list({ account: owner.account.id, shared, after, limit: linksOnPage + 1 })
        const { last, page: links } = pageOf(rows, linksOnPage)
        return last === undefined ? { links } : { links, next: last.id }
      }, inSpan("ShareLinks.list"))

      const revoke = Effect.fnUntraced(function* (owner: Owner, shared: Shared, id: ShareLinkId) {
        const link = yield* Effect.flatMap(store.find(id), orNotFound)
        if (link.accountId !== owner.account.id || subjectOf(link.shared) !== subjectOf(shared))
          return yield* NotFound.default
        const now = yield* DateTime.now
        // The resource may be deleted.
        const name = yield* owned(owner, shared).pipe(
          Effect.map((found) => found.name),
          Effect.catchTag("NotFound", () => Effect.undefined)
        )
        const revoked = yield* publish(shareRevoked(link), now, (event) =>
          auditing(
            ofLink("share.revoked", link, now, name),
            store.revoke(link.accountId, id, now, event),
            () => link.revokedAt === undefined
          )
        )
        return yield* orNotFound(revoked)
      }, inSpan("ShareLinks.revoke"))

      const live = Effect.fnUntraced(function* (found: Option.Option<ShareLink>) {
        const link = yield* orNotFound(found)
        return isOpen(link, yield* DateTime.now) ? link : yield* new ShareLinkEnded()
      })

      return ShareLinks.of({
        create,
        list,
        revoke,
        open: Effect.fnUntraced(function* (secret) {
          if (!secretForm.test(secret)) return yield* NotFound.default
          return yield* Effect.flatMap(store.findByHash(hashSecret(secret)), live)
        }, inSpan("ShareLinks.open")),
        check: Effect.fnUntraced(function* (id) {
          return yield* Effect.flatMap(store.find(id), live)
        }, inSpan("ShareLinks.check"))
      })
    })
  )
}
