/** What a commit to one port changes for another, and what several commits have to do with each other. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Account, AccountId } from "../../../core/model/Account.ts"
import { KeyId } from "../../../core/model/ApiKey.ts"
import type { BuildView } from "../../../core/model/Build.ts"
import { subjectOf, type ShareLink } from "../../../core/model/Resource.ts"
import type { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { Conflict } from "../../../core/ports/WriteFailure.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { IdempotencyStore, type Once } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { Outbox, type ClaimId } from "../../../core/ports/Outbox.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { layerMetadata } from "../../memory/index.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

const isOf = (account: AccountId) => (view: BuildView) => view.build.accountId === account

/** Answers are kept, and looked for, as other ones. */
const keeping = (
  keep: (once: Once, kind: string) => Once,
  find: (store: IdempotencyStore["Service"]) => IdempotencyStore["Service"]["find"]
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerMetadata, (memory) => {
    const builds = Context.get(memory, BuildStore)
    const previews = Context.get(memory, PreviewStore)
    const runs = Context.get(memory, TestRunStore)
    const kept = <C extends { readonly once?: Once | undefined }>(change: C, kind: string): C =>
      change.once === undefined ? change : { ...change, once: keep(change.once, kind) }
    return Layer.succeedContext(
      memory.pipe(
        Context.add(BuildStore, {
          ...builds,
          commitReserve: (change) => builds.commitReserve(kept(change, "build"))
        }),
        Context.add(PreviewStore, {
          ...previews,
          commitReserve: (change) => previews.commitReserve(kept(change, "preview"))
        }),
        Context.add(TestRunStore, { ...runs, insert: (change) => runs.insert(kept(change, "run")) }),
        Context.add(IdempotencyStore, { find: find(Context.get(memory, IdempotencyStore)) })
      )
    )
  })

const withAnswer = (once: Once, answer: Partial<Once["answer"]>): Once => ({
  ...once,
  answer: { ...once.answer, ...answer }
})

/** Keeps the event of a revocation under another ordering key, and shows it as it was. */
const mixesOrderingKeys = bothAltered(KeyStore, Outbox, (keys, outbox) => {
  const kept = new Map<string, SlipwayEvent>()
  return [
    {
      revoke: (id, at, event) => {
        if (event?.type !== "key.revoked") return keys.revoke(id, at, event)
        kept.set(event.id, event)
        return keys.revoke(id, at, { ...event, data: { ...event.data, id: KeyId.make(`${id}, revoked`) } })
      }
    },
    {
      claim: (request) =>
        Effect.map(outbox.claim(request), (claimed) =>
          claimed.map((one) => ({ ...one, event: kept.get(one.event.id) ?? one.event }))
        )
    }
  ]
})

/** Takes what is said of an event as said under its last claim. */
const anyClaimCounts = (store: Outbox["Service"]): Partial<Outbox["Service"]> => {
  const last = new Map<string, ClaimId>()
  return {
    claim: (request) =>
      Effect.tap(store.claim(request), (claimed) =>
        Effect.sync(() => claimed.forEach(({ claim, id }) => last.set(id, claim)))
      ),
    done: ({ claim, id }) => store.done({ id, claim: last.get(id) ?? claim })
  }
}

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

/** Takes by another step than it is given. */
const taking = (
  change: (
    step: Parameters<ErasureStore["Service"]["eraseStep"]>[0]
  ) => Parameters<ErasureStore["Service"]["eraseStep"]>[0]
) => altered(ErasureStore, (store: ErasureStore["Service"]) => ({ eraseStep: (step) => store.eraseStep(change(step)) }))

export const relationMutants: MetadataFaults = {
  "BuildStore > reads > an unlinked repository hides its builds, and shows them again when it is linked again": {
    "shows the builds of a repository that is not linked any more": altered(BuildStore, (store) => {
      const seen = new Map<string, BuildView>()
      return {
        commitReserve: Effect.fnUntraced(function* (change) {
          yield* store.commitReserve(change)
          const found = yield* store.findById(change.build.accountId, change.build.id)
          if (Option.isSome(found)) seen.set(change.build.id, found.value)
        }),
        findById: (account, id) =>
          Effect.map(store.findById(account, id), (found) =>
            Option.isSome(found) ? found : Option.filter(Option.fromUndefinedOr(seen.get(id)), isOf(account))
          )
      }
    })
  },
  "BuildStore > commits > a commit is decided by the version and not by the time, so hosts whose clocks differ can commit in turn":
    {
      "refuses a commit whose time is before that of the last": altered(BuildStore, (store) => ({
        commitReserve: Effect.fnUntraced(function* (change) {
          const stored = yield* store.findById(change.build.accountId, change.build.id)
          const last = Option.isSome(stored) ? stored.value.upload.reservedAt.epochMilliseconds : -Infinity
          if (change.reservation.reservedAt.epochMilliseconds < last) return yield* new Conflict()
          yield* store.commitReserve(change)
        })
      }))
    },
  "ReservationStore > a reserve finds the account's own quotas beside what it has hosted": {
    "finds no quotas of an account that has nothing hosted": altered(ReservationStore, ({ findForReserve }) => ({
      findForReserve: (...asked) =>
        Effect.map(findForReserve(...asked), ({ own, ...found }) => ({
          ...found,
          own: found.hosted.length === 0 ? {} : own
        }))
    }))
  },
  "IdempotencyStore > every kind of commit shares the same keys": {
    "keeps a key separately for each kind of request": keeping(
      (once, kind) => withAnswer(once, { keyHash: `${once.answer.keyHash} ${kind}` }),
      (store) =>
        Effect.fnUntraced(function* (account, keyHash, now) {
          for (const kind of ["build", "preview", "run"]) {
            const found = yield* store.find(account, `${keyHash} ${kind}`, now)
            if (Option.isSome(found)) return Option.some({ ...found.value, keyHash })
          }
          return Option.none()
        })
    )
  },
  "ShareLinkStore > a second revocation doesn't change the first": {
    "answers a later revocation instead of the first": altered(ShareLinkStore, (store) => ({
      revoke: (account, id, at) =>
        Effect.map(
          store.revoke(account, id, at),
          Option.map((link) => ({ ...link, revokedAt: at }))
        )
    }))
  },
  "Outbox > the events of one resource are claimed one after another, in the order of their commits": {
    "loses the order of events with one ordering key": mixesOrderingKeys
  },
  "Outbox > only the last claim of an event counts": {
    "takes the word of a host whose claim is over": altered(Outbox, anyClaimCounts)
  },
  "TrustStore > a secret counts once, also of many uses at once, and whether or not it was exchanged": {
    "keeps used secrets apart from exchanged tokens": altered(TrustStore, (store) => ({
      use: (secret) => store.use({ ...secret, tokenHash: `used ${secret.tokenHash}` })
    }))
  },
  "Deletion > the runs of a deleted preview stay, and so does what was billed": {
    "takes back what a deleted preview was billed": altered(PreviewStore, (store) => {
      const refunded = new Set<AccountId>()
      return {
        commitDelete: (change) =>
          Effect.tap(store.commitDelete(change), () => Effect.sync(() => refunded.add(change.preview.accountId))),
        usage: (account) => (refunded.has(account) ? Effect.succeed([]) : store.usage(account))
      }
    })
  },
  "Deletion > the links to a deleted preview end, revoked or not, and no others do": {
    "leaves the links to a deleted preview": leavingLinks
  },
  "Deletion > a deleted run is found and listed by nothing, and others are as before": {
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
  "Deletion > bytes that uploads share count once, for as long as one has them; what is new counts in its month": {
    "counts what a build declared": altered(BuildStore, (store) => ({
      commitFinalize: ({ reservation: { stored: _stored, ...reservation }, ...change }) =>
        store.commitFinalize({ ...change, reservation })
    }))
  },
  "ErasureStore > everything of an account is erased in steps, with removals of its bytes, and nothing of another": {
    "erases without removals": taking((step) => ({
      ...step,
      uploads: step.uploads.map((upload) => ({ ...upload, removals: [] }))
    }))
  },
  "ErasureStore > an account is not deleted while an upload of it is left": {
    "reports that an account is erased while an upload remains": altered(
      ErasureStore,
      (store: ErasureStore["Service"]) => ({
        eraseStep: (step) =>
          Effect.map(store.eraseStep(step), ({ erased, isOver }) => ({
            erased,
            isOver: isOver || Object.keys(erased).length === 0
          }))
      })
    )
  },
  "RetentionStore > the owner of a build, preview or run is found until its account is being erased": {
    "answers one owner for every resource": altered(AccountStore, (store) => {
      let first: Account | undefined
      return {
        findOwner: (resource) =>
          Effect.map(
            store.findOwner(resource),
            Option.map((owner) => (first ??= owner))
          )
      }
    })
  },
  "SweepStore > one holder has the lease of a job until it ends or the job is done, and finds its checkpoint": {
    "gives the lease to everyone": altered(SweepStore, (store: SweepStore["Service"]) => ({
      acquireLease: (request) => store.acquireLease({ ...request, holder: "everyone" })
    }))
  },
  "SweepStore > a holder that acquires the lease until now releases it, and ends nobody else's": {
    "lets everyone release a lease": altered(SweepStore, (store: SweepStore["Service"]) => ({
      acquireLease: (request) =>
        DateTime.isLessThanOrEqualTo(request.until, request.now)
          ? store.acquireLease({ ...request, latest: request.now })
          : store.acquireLease(request)
    }))
  },
  "SweepStore > a lease that ends after the latest valid time is ignored": {
    "trusts a lease that a clock ahead of time acquired": altered(SweepStore, (store: SweepStore["Service"]) => ({
      acquireLease: (request) => store.acquireLease({ ...request, latest: DateTime.add(request.latest, { years: 50 }) })
    }))
  }
}
