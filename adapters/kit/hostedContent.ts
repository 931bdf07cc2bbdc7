import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Account } from "../../core/model/Account.ts"
import type { Content, HostedObject } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { firstReserve, newBuild, newHome, type Home } from "./parts/buildPorts.ts"
import { assertConflict } from "./parts/racing.ts"
import { instant, makeHosted } from "./parts/samples.ts"
import { newPreview } from "./parts/stored.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside a `ReservationStore`: the stores whose reservations and quotas it reads. */
export type ReservationPorts =
  | AccountStore
  | KeyStore
  | RepositoryStore
  | BuildStore
  | PreviewStore
  | ReservationStore
  | UsageStore

export const finalizeBuild = (
  { build, reservation }: ReturnType<typeof firstReserve>,
  hosted?: ReadonlyArray<HostedObject>
) =>
  BuildStore.use((store) =>
    store.commitFinalize({
      ...onFinalize(build, reservation, { now: instant(9), hostedPrefix: "hosted/x/y/" }),
      hosted
    })
  )

export const finalizePreview = (
  preview: Preview,
  hosted?: ReadonlyArray<HostedObject>,
  lost?: ReadonlyArray<HostedObject["objectKey"]>
) =>
  PreviewStore.use((store) =>
    store.commitFinalize({
      preview: onPreviewFinalize(preview, { now: instant(9), hostedPrefix: "hosted/x/y/" }),
      billed: false,
      hosted,
      lost
    })
  )

/** Finalizes a new build or preview of the account with these objects. */
const host = Effect.fnUntraced(function* (home: Home, kind: "build" | "preview", hosted: ReadonlyArray<HostedObject>) {
  yield* kind === "build"
    ? finalizeBuild(yield* newBuild(home), hosted)
    : finalizePreview(yield* newPreview(home.account), hosted)
})

const hostedOf = (account: Account, contents: ReadonlyArray<Content>) =>
  Effect.map(
    ReservationStore.use((store) => store.findHosted(account.id, contents)),
    (found) => byKey(found.map((one) => ({ ...one })))
  )

const beforeReserve = (account: Account, contents: ReadonlyArray<Content>) =>
  Effect.map(
    ReservationStore.use((store) => store.findForReserve(account.id, contents)),
    ({ hosted, own }) => ({ own: { ...own }, hosted: byKey(hosted.map((one) => ({ ...one }))) })
  )

const byKey = (objects: ReadonlyArray<HostedObject>) => objects.toSorted((a, b) => (a.objectKey < b.objectKey ? -1 : 1))

/** The contents that finalizes stored, and that a later reserve of the account needn't receive again. */
export const hostedContentCases = (it: Cases<ReservationPorts>) => {
  it.effect("of the contents that are asked for, those that a build or a preview finalized are found", function* () {
    const home = yield* newHome
    const { account } = home
    const [built, previewed] = [
      [makeHosted(account), makeHosted(account, { sizeBytes: 2 ** 40 + 1 })],
      [makeHosted(account), makeHosted(account, { sizeBytes: 0 })]
    ]
    const never = makeHosted(account)
    assert.deepStrictEqual(yield* hostedOf(account, [...built, never]), [])
    yield* host(home, "build", built)
    yield* host(home, "preview", previewed)
    assert.deepStrictEqual(yield* hostedOf(account, [...built, never, ...previewed]), byKey([...built, ...previewed]))
    assert.deepStrictEqual(yield* hostedOf(account, built.slice(1)), built.slice(1))
    assert.deepStrictEqual(yield* hostedOf(account, []), [])
  })

  it.effect("content is found by its digest and its size together", function* () {
    const home = yield* newHome
    const one = makeHosted(home.account)
    const larger = makeHosted(home.account, { contentHash: one.contentHash, sizeBytes: one.sizeBytes + 1 })
    const other = makeHosted(home.account)
    yield* host(home, "preview", [one])
    assert.deepStrictEqual(yield* hostedOf(home.account, [larger, other]), [])
    yield* host(home, "preview", [larger])
    assert.deepStrictEqual(yield* hostedOf(home.account, [one]), [one])
    assert.deepStrictEqual(yield* hostedOf(home.account, [larger]), [larger])
  })

  it.effect("what another account finalized is never found", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const theirs = makeHosted(other.account)
    yield* host(other, "preview", [theirs])
    yield* host(other, "build", [makeHosted(other.account)])
    assert.deepStrictEqual(yield* hostedOf(home.account, [theirs]), [])
    const own = { ...theirs, accountId: home.account.id, objectKey: makeHosted(home.account).objectKey }
    yield* host(home, "preview", [own])
    assert.deepStrictEqual(yield* hostedOf(home.account, [theirs]), [own])
    assert.deepStrictEqual(yield* hostedOf(other.account, [theirs]), [theirs])
  })

  it.effect("a finalize that is a conflict keeps nothing of what it hosted", function* () {
    const home = yield* newHome
    const [change, preview] = [yield* newBuild(home), yield* newPreview(home.account)]
    yield* finalizeBuild(change)
    yield* finalizePreview(preview)
    const [one, two] = [makeHosted(home.account), makeHosted(home.account)]
    yield* assertConflict(finalizeBuild(change, [one]))
    yield* assertConflict(finalizePreview(preview, [two]))
    assert.deepStrictEqual(yield* hostedOf(home.account, [one, two]), [])
  })

  it.effect("a reserve finds the account's own quotas beside what it has hosted", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const { account } = home
    const hosted = [makeHosted(account), makeHosted(account)]
    const never = makeHosted(account)
    assert.deepStrictEqual(yield* beforeReserve(account, [never]), { own: {}, hosted: [] })
    const store = yield* UsageStore
    yield* store.setQuotas({ accountId: account.id, bytesStored: 5, runsPerMonth: 0 })
    yield* store.setQuotas({ accountId: other.account.id, previewsPerMonth: 7 })
    const own = { bytesStored: 5, runsPerMonth: 0 }
    assert.deepStrictEqual(yield* beforeReserve(account, []), { own, hosted: [] })
    yield* host(home, "build", hosted)
    yield* host(other, "build", [makeHosted(other.account, { contentHash: never.contentHash })])
    assert.deepStrictEqual(yield* beforeReserve(account, [...hosted, never]), { own, hosted: byKey(hosted) })
    const { account: third } = yield* newHome
    assert.deepStrictEqual(yield* beforeReserve(third, hosted), { own: {}, hosted: [] })
  })

  it.effect("a thousand objects are stored by one finalize and found by one call", function* () {
    const home = yield* newHome
    const all = Array.from({ length: 1001 }, () => makeHosted(home.account))
    const lost = all.map(({ objectKey }) => objectKey)
    yield* Effect.forEach(
      [all, all.toReversed(), all, all.toReversed()],
      (some) => Effect.flatMap(newPreview(home.account), (preview) => finalizePreview(preview, some, lost)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(yield* hostedOf(home.account, all), byKey(all))
  })
}
