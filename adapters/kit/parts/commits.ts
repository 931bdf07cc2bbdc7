/**
 * The commits of which one of several is made: how to make a valid one, and how to observe it. The suites of the ports
 * generate cases from them: each is stored whole or not at all, once of many, and with its event.
 */
import { Effect, Option } from "effect"
import type { AuditEntry } from "../../../core/model/AuditEntry.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { Webhook, type EventContent, type SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import type { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { onFinalize, onPreviewFinalize } from "../../../core/rules/builds.ts"
import {
  buildReady,
  previewHosted,
  runRegistered,
  shareCreated,
  shareRevoked,
  webhookDisabled
} from "../../../core/rules/events.ts"
import {
  firstReserve,
  keyOf,
  newBuild,
  newHome,
  plainReserved,
  reserveAgain,
  type BuildPorts,
  type Home
} from "./buildPorts.ts"
import { found, plainBuild, plainKey, plainOf, plainPreview, plainRun, plainShareLink } from "./plain.ts"
import {
  idAt,
  instant,
  makeEvent,
  makeIdentity,
  makeKey,
  makeOnce,
  makePreview,
  makeRun,
  makeShareLink,
  makeTrust,
  makeWebhook,
  nameOf
} from "./samples.ts"
import { newAccount, newKey, newPreview } from "./stored.ts"

/** What is stored with a commit, where its member takes it. */
export interface Extras {
  readonly event?: SlipwayEvent
  readonly entry?: AuditEntry
}

/** What an attempt alone stores, and what else it changes, as plain values. */
interface Seen {
  readonly own: unknown
  readonly others: unknown
}

export interface Attempt {
  /** Fails with `Conflict`, or answers `false`, when it is refused. */
  readonly commit: (extras?: Extras) => Effect.Effect<unknown, unknown>
  readonly seen: Effect.Effect<Seen, unknown>
  /** What is seen when it is made. */
  readonly expected: Seen
  /** What its event tells, where it has one. */
  readonly content?: EventContent
}

/** Stores what attempts are made from. Of these attempts, the first to be made is the only one. */
export type Rivals<R> = Effect.Effect<(nth: number) => Attempt, unknown, R>

/** Commits by their names. */
export type Tables<R> = Readonly<Record<string, Rivals<R>>>

const ofKey = (key: Parameters<typeof makeEvent>[0], type?: Parameters<typeof makeEvent>[1]): EventContent => {
  const { id: _, timestamp: __, ...content } = makeEvent(key, type)
  return content
}

type BuildChange = ReturnType<typeof firstReserve>

/** What is seen of a change of a build. */
const seenOfBuild = (store: BuildStore["Service"], home: Home, change: BuildChange) => ({
  seen: Effect.gen(function* () {
    const reserved = yield* store.findByToken(change.reservation.tokenHash)
    const slot = yield* store.loadForReserve(home.account.id, keyOf(home.repository), change.build)
    return {
      own: found((one) => plainReserved(one).reservation, reserved),
      others: {
        build: found((one) => plainReserved(one).build, reserved),
        slot: found(
          plainBuild,
          Option.flatMap(slot, (one) => one.build)
        )
      }
    }
  }),
  expected: {
    own: plainReserved({ ...change, repository: home.repository }).reservation,
    others: { build: plainBuild(change.build), slot: plainBuild(change.build) }
  }
})

export const buildCommits = {
  "the first reserve of a build": Effect.gen(function* () {
    const [store, home, identity] = [yield* BuildStore, yield* newHome, makeIdentity()]
    return () => {
      const change = firstReserve(home, { build: identity })
      return { commit: () => store.commitReserve(change), ...seenOfBuild(store, home, change) }
    }
  }),
  "a later reserve of a build": Effect.gen(function* () {
    const [store, home] = [yield* BuildStore, yield* newHome]
    const { build } = yield* newBuild(home)
    return () => {
      const change = reserveAgain(home, build, { id: ReservationId.make(idAt(2)), expiresAt: instant(1e9) })
      return { commit: () => store.commitReserve(change), ...seenOfBuild(store, home, change) }
    }
  }),
  "a finalize of a build": Effect.gen(function* () {
    const [store, home] = [yield* BuildStore, yield* newHome]
    const { build, reservation } = yield* newBuild(home)
    return (nth) => {
      const hostedPrefix = `hosted/${reservation.id}/${nth}/`
      const change = onFinalize(build, reservation, { now: instant(77), hostedPrefix })
      return {
        commit: (extras) => store.commitFinalize({ ...change, ...extras }),
        ...seenOfBuild(store, home, change),
        content: buildReady({ build: change.build, repository: home.repository })
      }
    }
  })
} satisfies Tables<BuildPorts>

export const previewCommits = {
  "a finalize of a preview": Effect.gen(function* () {
    const [store, { account }] = [yield* PreviewStore, yield* newHome]
    const reserved = makePreview(account)
    yield* store.commitReserve({ preview: reserved })
    return (nth) => {
      const hostedPrefix = `hosted/${reserved.id}/${nth}/`
      const preview = onPreviewFinalize(reserved, { now: instant(77), hostedPrefix })
      return {
        commit: (extras) => store.commitFinalize({ preview, billed: true, ...extras }),
        seen: Effect.gen(function* () {
          return {
            own: found(plainPreview, yield* store.findByToken(preview.tokenHash)),
            others: yield* store.usage(account.id)
          }
        }),
        expected: { own: plainPreview(preview), others: [{ month: "2026-05", billedTestRuns: 1 }] },
        content: previewHosted(preview)
      }
    }
  })
} satisfies Tables<AccountStore | RepositoryStore | PreviewStore>

const runCommits = {
  "the registration of a run": Effect.gen(function* () {
    const [store, { account, repository }] = [yield* TestRunStore, yield* newHome]
    const [preview, once] = [yield* newPreview(account), makeOnce(account)]
    return () => {
      const run = makeRun(repository, preview, { name: `"q" \\ é 漢 🙂 ${"n".repeat(900)}`, pr: 7 })
      return {
        commit: (extras) => store.insert({ run, once, ...extras }),
        seen: Effect.gen(function* () {
          const own = found((view) => plainRun(view.run), yield* store.find(account.id, run.id))
          return { own, others: undefined }
        }),
        expected: { own: plainRun(run), others: undefined },
        content: runRegistered({ run, repository })
      }
    }
  })
} satisfies Tables<BuildPorts | PreviewStore | TestRunStore>

export const keyCommits = {
  "a rotation of a key": Effect.gen(function* () {
    const [store, account] = [yield* KeyStore, yield* newAccount]
    const old = yield* newKey(account)
    const seen = (id: typeof old.id) => Effect.map(store.findById(id), (one) => found(({ key }) => plainKey(key), one))
    return () => {
      const replacement = makeKey(account, { expiresAt: instant(9000) })
      const change = { old: old.id, oldExpiresAt: instant(100), now: instant(100), replacement }
      return {
        commit: (extras) => store.rotate({ ...change, ...extras }),
        seen: Effect.all({ own: seen(replacement.id), others: seen(old.id) }),
        expected: { own: plainKey(replacement), others: plainKey({ ...old, expiresAt: instant(100) }) },
        content: ofKey(replacement)
      }
    }
  })
} satisfies Tables<AccountStore | KeyStore>

export const trustCommits = {
  "the exchange of a token for a key": Effect.gen(function* () {
    const [store, keys, { account }] = [yield* TrustStore, yield* KeyStore, yield* newHome]
    const token = { tokenHash: nameOf("token"), endsAt: instant(110), now: instant(10) }
    return () => {
      const key = makeKey(account)
      return {
        commit: (extras) => store.exchange({ ...token, key, ...extras }),
        seen: Effect.map(keys.findByHash(key.hash), (one) => ({
          own: found((owner) => plainKey(owner.key), one),
          others: undefined
        })),
        expected: { own: plainKey(key), others: undefined },
        content: ofKey(key)
      }
    }
  }),
  "the pinning of ids to a trust": Effect.gen(function* () {
    const [store, { repository }] = [yield* TrustStore, yield* newHome]
    const trust = makeTrust(repository)
    yield* store.trust(trust)
    return (nth) => {
      const ids = { repository: `${nth}`, owner: "1" }
      return {
        commit: () => store.pin(repository.id, trust.issuer, ids),
        seen: Effect.map(store.find(keyOf(repository), trust.issuer), (one) => ({
          own: Option.getOrUndefined(Option.flatMap(one, (some) => some.trust))?.pinned,
          others: undefined
        })),
        expected: { own: ids, others: undefined }
      }
    }
  })
} satisfies Tables<BuildPorts | TrustStore>

/** Commits that are repeated without a failure: only the event of the first is stored. */
const repeatedCommits = {
  "a revocation of a key": Effect.gen(function* () {
    const [store, { account }] = [yield* KeyStore, yield* newHome]
    const key = makeKey(account)
    yield* store.insert(key)
    return () => ({
      commit: ({ event } = {}) => store.revoke(key.id, instant(2), event),
      seen: Effect.map(store.findById(key.id), (one) => ({
        own: found((owner) => plainKey(owner.key), one),
        others: undefined
      })),
      expected: { own: plainKey({ ...key, revokedAt: instant(2) }), others: undefined },
      content: ofKey(key, "key.revoked")
    })
  }),
  "a revocation of a share link": Effect.gen(function* () {
    const [store, { account }] = [yield* ShareLinkStore, yield* newHome]
    const link = makeShareLink(account)
    yield* store.insert(link)
    return () => ({
      commit: ({ event } = {}) => store.revoke(account.id, link.id, instant(2), event),
      seen: Effect.map(store.find(link.id), (one) => ({ own: found(plainShareLink, one), others: undefined })),
      expected: { own: plainShareLink({ ...link, revokedAt: instant(2) }), others: undefined },
      content: shareRevoked(link)
    })
  }),
  "a change of a webhook's state": Effect.gen(function* () {
    const [store, { account }] = [yield* WebhookStore, yield* newHome]
    const webhook = makeWebhook({ accountId: account.id })
    yield* store.insert(webhook)
    const state = { failingSince: instant(8), disabledAt: instant(9) }
    return () => ({
      commit: ({ event } = {}) => store.changeState({ webhook, state, event }),
      seen: Effect.map(store.find(webhook.id), (one) => ({ own: found(plainOf(Webhook), one), others: undefined })),
      expected: { own: plainOf(Webhook)({ ...webhook, ...state }), others: undefined },
      content: webhookDisabled(account.id, webhook.id, instant(8))
    })
  })
} satisfies Tables<BuildPorts | ShareLinkStore | WebhookStore>

/** Inserts, each of something new: they are never refused. */
const inserts = {
  "the insert of a key": Effect.gen(function* () {
    const [store, { account }] = [yield* KeyStore, yield* newHome]
    const key = makeKey(account)
    return () => ({
      commit: ({ event } = {}) => store.insert(key, event),
      seen: Effect.map(store.findById(key.id), (one) => ({
        own: found((owner) => plainKey(owner.key), one),
        others: undefined
      })),
      expected: { own: plainKey(key), others: undefined },
      content: ofKey(key)
    })
  }),
  "the insert of a share link": Effect.gen(function* () {
    const [store, { account }] = [yield* ShareLinkStore, yield* newHome]
    const link = makeShareLink(account)
    return () => ({
      commit: ({ event } = {}) => store.insert(link, event),
      seen: Effect.map(store.find(link.id), (one) => ({ own: found(plainShareLink, one), others: undefined })),
      expected: { own: plainShareLink(link), others: undefined },
      content: shareCreated(link)
    })
  })
} satisfies Tables<BuildPorts | ShareLinkStore>

/** The commits that store an audit entry. */
export const auditedCommits: Tables<BuildPorts | PreviewStore | TestRunStore> = {
  "a finalize of a build": buildCommits["a finalize of a build"],
  ...previewCommits,
  ...runCommits
}

export type PublishedPorts = BuildPorts | PreviewStore | ShareLinkStore | TestRunStore | TrustStore | WebhookStore
type Published = Tables<PublishedPorts>

const ofMany: Published = {
  ...auditedCommits,
  ...keyCommits,
  "the exchange of a token for a key": trustCommits["the exchange of a token for a key"],
  ...repeatedCommits
}

/** The commits that store an event: all, and those that can be made again. */
export const publishedCommits: { readonly all: Published; readonly ofMany: Published } = {
  all: { ...inserts, ...ofMany },
  ofMany
}
