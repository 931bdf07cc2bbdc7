import { Effect, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
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
import { subjectOf } from "../../../core/model/Resource.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"
import { removingLater } from "./removals.ts"
import { caching } from "./twoHosts.ts"

/** Share links that stay, whatever is deleted. */
const leavingLinks = altered(ShareLinkStore, (links) => {
  let kept: ReadonlyArray<ShareLink> = []
  const first = (is: (link: ShareLink) => boolean) => Effect.sync(() => Option.fromUndefinedOr(kept.find(is)))
  return {
    insert: (link, event) => Effect.tap(links.insert(link, event), () => Effect.sync(() => (kept = [...kept, link]))),
    find: (id) => first((link) => link.id === id),
    findByHash: (hash) => first((link) => link.secretHash === hash),
    list: ({ account, shared }) =>
      Effect.sync(() =>
        kept.filter((link) => link.accountId === account && subjectOf(link.shared) === subjectOf(shared))
      )
  }
})

const buildMutants: MetadataFaults = {
  "a build is loaded with every reservation of it": {
    "loads a build with the reservation that it shows": altered(BuildStore, (store) => ({
      loadForDelete: (account, id) =>
        Effect.map(
          store.loadForDelete(account, id),
          Option.map(({ build, reservations }) => ({
            build,
            reservations: reservations.filter((one) => one.id === build.currentUpload)
          }))
        )
    }))
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
    "stores the removals of a build when it is deleted": removingLater(BuildStore, ({ commitDelete }, apart) => ({
      commitDelete: (change) => apart(change.removals, commitDelete(change))
    }))
  }
}

const previewMutants: MetadataFaults = {
  "the runs of a deleted preview stay, and so does what was billed": {
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
    "leaves the links to a deleted preview": leavingLinks
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
  "shared content is hosted until the last upload that shares it is deleted": {
    "holds nothing that is shared": altered(RemovalStore, () => ({ findShared: () => Effect.succeed([]) }))
  },
  "a finalize that shares what is hosted no longer is a Conflict, and changes nothing": {
    "lets a build share what is deleted": sharingNothing
  },
  "an object of a content that is hosted already is a Conflict, unless the other one is lost": {
    "stores a content twice": losingAll
  },
  "bytes that uploads share count once, for as long as one has them; what is new counts in its month": {
    "counts what a build declared": altered(BuildStore, (store) => ({
      commitFinalize: ({ reservation: { stored: _stored, ...reservation }, ...change }) =>
        store.commitFinalize({ ...change, reservation })
    }))
  }
}

export const deletionMutants: MetadataFaults = { ...sharedMutants, ...buildMutants, ...previewMutants, ...runMutants }
