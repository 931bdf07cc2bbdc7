import { Effect, Option, type Context } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { BuildReservation } from "../../../core/model/Build.ts"
import type { HostedObject } from "../../../core/model/HostedObject.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import { subjectOf, type ShareableResource } from "../../../core/model/Resource.ts"
import type { ShareLink } from "../../../core/model/ShareLink.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { Conflict } from "../../../core/ports/Conflict.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { statement } from "./failingEngine.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

/** Deletes builds, and stores the removals in a commit of their own. `pause` runs in between. */
const removingLater = (pause: Effect.Effect<void>) =>
  bothAltered(BuildStore, RemovalStore, (builds, removals) => {
    const hidden = new Set<string>()
    return [
      {
        commitDelete: Effect.fnUntraced(function* (change) {
          for (const { id } of change.removals) hidden.add(id)
          yield* builds.commitDelete(change)
          yield* pause
          for (const { id } of change.removals) hidden.delete(id)
        })
      },
      { list: (query) => Effect.map(removals.list(query), (all) => all.filter(({ id }) => !hidden.has(id))) }
    ]
  })

type End = (account: AccountId, shared: ShareableResource) => void

/** Share links that stay whatever is deleted, unless `alter` ends them. */
const leavingLinks = <I extends MetadataPorts, S>(port: Context.Key<I, S>, alter: (store: S, end: End) => Partial<S>) =>
  bothAltered(port, ShareLinkStore, (store, links) => {
    let kept: ReadonlyArray<ShareLink> = []
    const of = (account: AccountId, shared: ShareableResource) => (link: ShareLink) =>
      link.accountId === account && subjectOf(link.shared) === subjectOf(shared)
    const first = (is: (link: ShareLink) => boolean) => Effect.sync(() => Option.fromUndefinedOr(kept.find(is)))
    return [
      alter(store, (account, shared) => void (kept = kept.filter((link) => !of(account, shared)(link)))),
      {
        insert: (link, event) =>
          Effect.tap(links.insert(link, event), () => Effect.sync(() => (kept = [...kept, link]))),
        find: (id) => first((link) => link.id === id),
        findByHash: (hash) => first((link) => link.secretHash === hash),
        list: ({ account, shared }) => Effect.sync(() => kept.filter(of(account, shared)))
      }
    ]
  })

/** Deletes previews, and ends the links to them in a commit of their own. `pause` runs in between. */
const endingLinksLater = (pause: Effect.Effect<void>) =>
  leavingLinks(PreviewStore, (store, end) => ({
    commitDelete: Effect.fnUntraced(function* (change) {
      yield* store.commitDelete(change)
      yield* pause
      end(change.preview.accountId, { preview: change.preview.shareId })
    })
  }))

/** What builds have hosted, found again by `finds` when these prefixes were deleted. */
const finding = (finds: (hosted: HostedObject, deleted: ReadonlyArray<string>) => boolean) =>
  bothAltered(BuildStore, ReservationStore, (builds) => {
    let hosted: ReadonlyArray<HostedObject> = []
    const deleted: Array<string> = []
    return [
      {
        commitFinalize: (change) =>
          Effect.tap(builds.commitFinalize(change), () =>
            Effect.sync(() => {
              const added = change.hosted ?? []
              hosted = [
                ...hosted.filter(
                  (one) => !added.some((now) => now.accountId === one.accountId && now.contentHash === one.contentHash)
                ),
                ...added
              ]
            })
          ),
        commitDelete: (change) =>
          Effect.tap(builds.commitDelete(change), () =>
            Effect.sync(() => deleted.push(...change.removals.map(({ prefix }) => prefix)))
          )
      },
      {
        findHosted: (account, asked) =>
          Effect.sync(() =>
            hosted.filter(
              (one) =>
                one.accountId === account &&
                asked.some(({ contentHash }) => contentHash === one.contentHash) &&
                finds(one, deleted)
            )
          )
      }
    ]
  })

const isBelow = ({ objectKey }: HostedObject, prefixes: ReadonlyArray<string>) =>
  prefixes.some((prefix) => objectKey.startsWith(prefix))

const buildMutants: MetadataFaults = {
  "a build is loaded with every reservation of it": {
    "loads a build with the reservation that it shows": altered(BuildStore, (store) => ({
      loadForDelete: (account, id) =>
        Effect.map(
          store.loadForDelete(account, id),
          Option.map(({ build, reservations }) => ({
            build,
            reservations: reservations.filter((one) => one.id === build.shown)
          }))
        )
    }))
  },
  "a deleted build is found by nothing, nor is a reservation of it, and its removals are stored": {
    "forgets what is to be removed of a build": altered(BuildStore, (store) => ({
      commitDelete: (change) => store.commitDelete({ ...change, removals: [] })
    })),
    "leaves the reservations of a deleted build": bothAltered(BuildStore, ReservationStore, (builds, reservations) => {
      const made = new Map<string, BuildReservation>()
      return [
        {
          commitReserve: (change) =>
            Effect.tap(builds.commitReserve(change), () =>
              Effect.sync(() => made.set(change.reservation.id, change.reservation))
            )
        },
        {
          findForPut: (id) =>
            Effect.map(reservations.findForPut(id), (found) => {
              const reservation = made.get(id)
              return Option.isSome(found) || reservation === undefined
                ? found
                : Option.some({ reservation, key: Option.none() })
            })
        }
      ]
    })
  },
  "other builds stay as they are, and the latest of them is the latest of its branch": {
    "forgets the branch of a deleted build": altered(BuildStore, (store) => {
      let hasDeleted = false
      return {
        commitDelete: (change) => Effect.tap(store.commitDelete(change), () => Effect.sync(() => (hasDeleted = true))),
        findLatest: (...asked) => Effect.suspend(() => (hasDeleted ? Effect.succeedNone : store.findLatest(...asked)))
      }
    })
  },
  "another account deletes no build, and neither does who knows another version of it": {
    "forgets the account when a build is deleted": altered(BuildStore, (store) => {
      const owners = new Map<string, AccountId>()
      return {
        commitReserve: (change) =>
          Effect.tap(store.commitReserve(change), () =>
            Effect.sync(() => owners.set(change.build.id, change.build.accountId))
          ),
        commitDelete: ({ build, removals }) =>
          store.commitDelete({ build: { ...build, accountId: owners.get(build.id) ?? build.accountId }, removals })
      }
    }),
    "ignores the version that a deletion was decided from": altered(BuildStore, (store) => ({
      commitDelete: Effect.fnUntraced(function* ({ build, removals }) {
        const loaded = Option.getOrUndefined(yield* store.loadForDelete(build.accountId, build.id))
        yield* store.commitDelete({ build: loaded?.build ?? build, removals })
      })
    }))
  },
  "what a deleted build hosted stands in for no upload, and what others hosted still does": {
    "leaves what a deleted build has hosted": finding(() => true),
    "forgets what is hosted below a prefix that begins alike": finding(
      (hosted, deleted) =>
        !isBelow(
          hosted,
          deleted.map((prefix) => prefix.slice(0, -1))
        )
    ),
    "forgets what other accounts have hosted under the same key": bothAltered(
      BuildStore,
      ReservationStore,
      (builds, reservations) => {
        const deleted: Array<string> = []
        return [
          {
            commitDelete: (change) =>
              Effect.tap(builds.commitDelete(change), () =>
                Effect.sync(() => deleted.push(...change.removals.map(({ prefix }) => prefix)))
              )
          },
          {
            findHosted: (...asked) =>
              Effect.map(reservations.findHosted(...asked), (all) => all.filter((one) => !isBelow(one, deleted)))
          }
        ]
      }
    )
  },
  "the identity of a deleted build is reserved anew, for a build of another id": {
    "keeps the identity of a deleted build": altered(BuildStore, (store) => {
      const taken = new Map<string, string>()
      return {
        commitReserve: Effect.fnUntraced(function* (change) {
          const { commitSha, id } = change.build
          if ((taken.get(commitSha) ?? id) !== id) return yield* new Conflict()
          yield* store.commitReserve(change)
          taken.set(commitSha, id)
        })
      }
    })
  },
  "what was decided before a deletion is a conflict after it": {
    "takes a finalize of a deleted build": altered(BuildStore, (store) => {
      const deleted = new Set<string>()
      return {
        commitDelete: (change) =>
          Effect.tap(store.commitDelete(change), () => Effect.sync(() => deleted.add(change.build.id))),
        commitFinalize: (change) => (deleted.has(change.build.id) ? Effect.void : store.commitFinalize(change))
      }
    })
  },
  "of a deletion, a finalize and a reserve from one version at once, exactly one is committed": {
    "compares the version of a deletion a moment before it deletes": altered(BuildStore, (store) => ({
      commitDelete: Effect.fnUntraced(function* ({ build, removals }) {
        const load = Effect.map(store.loadForDelete(build.accountId, build.id), Option.getOrUndefined)
        if ((yield* load)?.build.version !== build.version) return yield* new Conflict()
        yield* Effect.yieldNow
        yield* store.commitDelete({ build: (yield* load)?.build ?? build, removals })
      })
    }))
  },
  "a build that one host deletes is found no more by another that has found it before": {
    "keeps the builds that a host has found": caching(BuildStore, (store, cached) => ({
      findById: cached(store.findById)
    }))
  },
  "an interrupted deletion of a build is committed whole or not at all": {
    "stores the removals of a build when it is deleted": removingLater(Effect.yieldNow)
  },
  "a deletion of a build during which the engine fails is committed whole or not at all": {
    "deletes a build and stores its removals without a transaction": removingLater(statement)
  }
}

const previewMutants: MetadataFaults = {
  "a deleted preview is found by nothing, and its removals are stored": {
    "forgets what is to be removed of a preview": altered(PreviewStore, (store) => ({
      commitDelete: (change) => store.commitDelete({ ...change, removals: [] })
    })),
    "finds a deleted preview by its token": altered(PreviewStore, (store) => {
      const made = new Map<string, Preview>()
      return {
        commitReserve: (change) =>
          Effect.tap(store.commitReserve(change), () =>
            Effect.sync(() => made.set(change.preview.tokenHash, change.preview))
          ),
        findByToken: (token) =>
          Effect.map(
            store.findByToken(token),
            Option.orElse(() => Option.fromUndefinedOr(made.get(token)))
          )
      }
    })
  },
  "the runs of a deleted preview stay, and so does what was billed": {
    "deletes the runs of a preview with it": bothAltered(PreviewStore, TestRunStore, (previews, runs) => {
      const deleted = new Set<string>()
      return [
        {
          commitDelete: (change) =>
            Effect.tap(previews.commitDelete(change), () => Effect.sync(() => deleted.add(change.preview.shareId)))
        },
        {
          find: (account, id) =>
            Effect.map(
              runs.find(account, id),
              Option.filter(({ run }) => !deleted.has(run.previewShareId))
            )
        }
      ]
    }),
    "takes back what a deleted preview was billed": altered(PreviewStore, (store) => {
      const refunded = new Set<AccountId>()
      return {
        commitDelete: (change) =>
          Effect.tap(store.commitDelete(change), () => Effect.sync(() => refunded.add(change.preview.accountId))),
        usage: (account) => (refunded.has(account) ? Effect.succeed([]) : store.usage(account))
      }
    })
  },
  "the links to a deleted preview end, revoked or not, and no others do": {
    "leaves the links to a deleted preview": leavingLinks(PreviewStore, () => ({}))
  },
  "another account deletes no preview": {
    "forgets the account when a preview is deleted": altered(PreviewStore, (store) => {
      const owners = new Map<string, AccountId>()
      return {
        commitReserve: (change) =>
          Effect.tap(store.commitReserve(change), () =>
            Effect.sync(() => owners.set(change.preview.shareId, change.preview.accountId))
          ),
        commitDelete: ({ preview: { accountId, shareId }, removals }) =>
          store.commitDelete({ preview: { shareId, accountId: owners.get(shareId) ?? accountId }, removals })
      }
    })
  },
  "an interrupted deletion of a preview is committed whole or not at all": {
    "ends the links to a preview when it is deleted": endingLinksLater(Effect.yieldNow)
  },
  "a deletion of a preview during which the engine fails is committed whole or not at all": {
    "deletes a preview and ends its links without a transaction": endingLinksLater(statement)
  }
}

const runMutants: MetadataFaults = {
  "a deleted run is found and listed by nothing, and others are as before": {
    "lists a deleted run": bothAltered(TestRunStore, OverviewStore, (runs, overview) => {
      const deleted: Array<TestRunView> = []
      return [
        {
          commitDelete: Effect.fnUntraced(function* (run) {
            const found = yield* runs.find(run.accountId, run.id)
            yield* runs.commitDelete(run)
            if (Option.isSome(found)) deleted.push(found.value)
          })
        },
        { runsOf: (...asked) => Effect.map(overview.runsOf(...asked), (all) => [...all, ...deleted]) }
      ]
    })
  },
  "the links to a deleted run end, and no others do": {
    "leaves the links to a deleted run": leavingLinks(TestRunStore, () => ({}))
  },
  "another account deletes no run": {
    "forgets the account when a run is deleted": altered(TestRunStore, (store) => {
      const owners = new Map<string, AccountId>()
      return {
        insert: (change) =>
          Effect.tap(store.insert(change), () => Effect.sync(() => owners.set(change.run.id, change.run.accountId))),
        commitDelete: ({ accountId, id }) => store.commitDelete({ accountId: owners.get(id) ?? accountId, id })
      }
    })
  }
}

/** Finalizes builds as if they shared nothing. */
const sharingNothing = altered(BuildStore, (store) => ({
  commitFinalize: ({ reservation: { stored, ...reservation }, ...change }) =>
    store.commitFinalize({
      ...change,
      reservation: stored === undefined ? reservation : { ...reservation, stored: { ...stored, shared: {} } }
    })
}))

/** Finalizes builds as if all that they host, and is hosted, were lost. */
const losingAll = bothAltered(BuildStore, ReservationStore, (builds, reservations) => [
  {
    commitFinalize: Effect.fnUntraced(function* ({ hosted = [], ...change }) {
      const found = yield* reservations.findHosted(change.build.accountId, hosted)
      yield* builds.commitFinalize({ ...change, hosted, lost: found.map(({ objectKey }) => objectKey) })
    })
  },
  {}
])

const sharedMutants: MetadataFaults = {
  "what uploads share is hosted until the last of them is deleted, whichever that is": {
    "holds nothing that is shared": altered(RemovalStore, () => ({ findShared: () => Effect.succeed([]) })),
    "holds whatever it is asked for": altered(RemovalStore, () => ({ findShared: Effect.succeed })),
    "forgets what a build shares": sharingNothing
  },
  "a finalize that shares what is hosted no longer is a Conflict, and changes nothing": {
    "lets a build share what is gone": sharingNothing
  },
  "an object of a content that is hosted already is a Conflict, unless the other one is lost": {
    "stores a content twice": losingAll,
    "never takes the place of what is lost": altered(BuildStore, (store) => ({
      commitFinalize: ({ lost: _lost, ...change }) => store.commitFinalize(change)
    }))
  },
  "bytes that uploads share count once, for as long as one has them; what is new counts in its month": {
    "counts what a build declared": altered(BuildStore, (store) => ({
      commitFinalize: ({ reservation: { stored: _stored, ...reservation }, ...change }) =>
        store.commitFinalize({ ...change, reservation })
    }))
  },
  "an upload is finalized while what it shares is deleted: either it has it, or it is a Conflict": {
    "finalizes a build whatever it shares": sharingNothing
  }
}

export const deletionMutants: MetadataFaults = { ...sharedMutants, ...buildMutants, ...previewMutants, ...runMutants }
