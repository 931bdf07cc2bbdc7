import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { ObjectKey, type Removal } from "../../../core/model/HostedObject.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import type { ShareLink } from "../../../core/model/Resource.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { onFinalize, onPreviewFinalize } from "../../../core/rules/builds.ts"
import { hostedRoot } from "../../../core/rules/reservations.ts"
import { firstReserve, newBuild, type BuildPorts, type Home } from "./buildPorts.ts"
import { plainRemoval } from "./plain.ts"
import { instant, makeHosted, makePreview, makeRemoval, makeShareLink } from "./samples.ts"

/** What can be deleted, and everything that can show it. */
export type DeletionPorts =
  | BuildPorts
  | OverviewStore
  | PreviewStore
  | RemovalStore
  | ReservationStore
  | ShareLinkStore
  | TestRunStore

export type Change = ReturnType<typeof firstReserve>

export const finalized = ({ build, reservation }: Change, prefix = `${hostedRoot(reservation)}1/`): Change =>
  onFinalize(build, reservation, { now: instant(7), hostedPrefix: prefix })

/** A build that is ready, with what it has hosted. */
export const newReady = (home: Home) =>
  Effect.gen(function* () {
    const change = finalized(yield* newBuild(home))
    const hosted = hostedBy(home.account, change.reservation)
    yield* (yield* BuildStore).commitFinalize({ ...change, hosted: [hosted] })
    return { ...change, hosted }
  })

export const hostedBy = (account: Account, { hostedPrefix = "hosted/none/" }: { readonly hostedPrefix?: string }) =>
  makeHosted(account, { objectKey: ObjectKey.make(`${hostedPrefix}bundle`) })

export const removalOf = (account: Account, reservation: { readonly id: ReservationId }) =>
  makeRemoval(account, { prefix: hostedRoot(reservation) })

/** The removals that are stored, those of other cases included. */
export const removals = RemovalStore.use((store) => store.list({ limit: 1000 }))

export const assertRemovals = (...expected: ReadonlyArray<Removal>) =>
  Effect.gen(function* () {
    const ids = new Set<string>(expected.map(({ id }) => id))
    assert.sameDeepMembers(
      (yield* removals).map(plainRemoval).filter(({ id }) => ids.has(id)),
      expected.map(plainRemoval)
    )
  })

export const assertNoRemoval = ({ accountId }: Pick<Removal, "accountId">) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(
      (yield* removals).filter((one) => one.accountId === accountId),
      []
    )
  })

/** A finalized preview of the home's account. */
export const newPreview = ({ account }: Pick<Home, "account">) =>
  Effect.gen(function* () {
    const reserved = makePreview(account)
    const preview = onPreviewFinalize(reserved, { now: instant(7), hostedPrefix: `${hostedRoot(reserved)}1/` })
    const store = yield* PreviewStore
    const hosted = hostedBy(account, preview)
    yield* store.commitReserve({ preview: reserved })
    yield* store.commitFinalize({ preview, billed: true, hosted: [hosted] })
    return { preview, hosted }
  })

export const newLink = (account: Account, shared: ShareLink["shared"], fields: Partial<ShareLink> = {}) =>
  Effect.gen(function* () {
    const link = makeShareLink(account, { shared, ...fields })
    yield* (yield* ShareLinkStore).insert(link)
    return link
  })

/** Whether a link is found by every call that finds it. */
export const isLinked = ({ accountId, id, secretHash, shared }: ShareLink) =>
  Effect.gen(function* () {
    const store = yield* ShareLinkStore
    const all = [
      Option.isSome(yield* store.find(id)),
      Option.isSome(yield* store.findByHash(secretHash)),
      (yield* store.list({ account: accountId, shared, limit: 100 })).some((one) => one.id === id)
    ]
    assert.strictEqual(new Set(all).size, 1, "some calls find the link, and others don't")
    return all[0]
  })

export const findHosted = (account: Account, ...contents: ReadonlyArray<ReturnType<typeof makeHosted>>) =>
  Effect.map(
    ReservationStore.use((store) => store.findHosted(account.id, contents)),
    (hosted) => hosted.map(({ objectKey }) => objectKey)
  )
