import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { unlimited, type Account, type Amounts, type Quotas } from "../../core/model/Account.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import type { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { zeroAmounts } from "../../core/rules/limits.ts"
import { firstReserve, newHome, reserveAgain, type Home } from "./parts/stored.ts"
import { assertConflict, many } from "./parts/commits.ts"
import { makePreview, makeReservation, makeRun, newBuildId } from "./parts/samples.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"

/** What the cases need beside a `UsageStore`: what the commits of these ports made is what is used. */
export type UsagePorts = AccountStore | RepositoryStore | BuildStore | PreviewStore | TestRunStore | UsageStore

const at = (text: string) => DateTime.makeUnsafe(text)
const november = at("2026-11-20T12:00:00Z")
const later = at("2026-11-20T13:00:00Z")

/** A reservation that is open from the 20th of November, for an hour. */
const open = { reservedAt: november, expiresAt: later }

const file = (sizeBytes: number) => ({ path: `${sizeBytes}.js`, sizeBytes, contentType: "text/javascript" })

/** A declaration of 1, 20 and 300 bytes, and of recordings 4,000. */
const declared = { files: [file(20), file(300)] }
const recording = { name: "video", kind: "video", sizeBytes: 4000, contentType: "video/mp4" } as const

const sized = (account: Account, fields: Partial<Preview> = {}): Preview => {
  const preview = makePreview(account, { ...open, ...fields })
  return { ...preview, declaration: { ...preview.declaration, ...declared, recordings: [recording] } }
}

const sizedBuild = (home: Home) => {
  const { declaration } = makeReservation(home.account, newBuildId())
  return firstReserve(home, { reservation: { ...open, declaration: { ...declaration, ...declared } } })
}

const reserve = (preview: Preview, within?: QuotaCheck) =>
  PreviewStore.use((store) => store.commitReserve({ preview, within }))

const finalize = (preview: Preview, now: DateTime.Utc) =>
  PreviewStore.use((store) =>
    store.commitFinalize({
      preview: onPreviewFinalize(preview, { now, hostedPrefix: `hosted/${preview.id}/1/` }),
      billed: false
    })
  )

const finalizeBuild = ({ build, reservation }: ReturnType<typeof firstReserve>, now: DateTime.Utc) =>
  BuildStore.use((store) =>
    store.commitFinalize(onFinalize(build, reservation, { now, hostedPrefix: `hosted/${reservation.id}/1/` }))
  )

/** A preview that is ready since then. */
const ready = Effect.fnUntraced(function* (account: Account, now: DateTime.Utc) {
  const preview = sized(account)
  yield* reserve(preview)
  yield* finalize(preview, now)
  return preview
})

const usageOf = (account: Account, month = "2026-11", now = november) =>
  Effect.map(
    UsageStore.use((store) => store.find(account.id, month, now)),
    ({ own, reserved, used }) => ({ own: { ...own }, reserved: { ...reserved }, used: { ...used } })
  )

const of = (amounts: Partial<Amounts>): Amounts => ({ ...zeroAmounts, ...amounts })

const within = (quotas: Quotas, asked: Partial<Amounts>): QuotaCheck => ({
  month: "2026-11",
  quotas,
  requested: of(asked)
})

/** A run of the preview at that time, stored unless it exceeds a quota. */
const register = ({ repository }: Home, preview: Preview, createdAt = november, bound?: QuotaCheck) =>
  TestRunStore.use((store) => store.insert({ run: makeRun(repository, preview, { createdAt }), within: bound }))

export const usageStoreCases = (it: Cases<UsagePorts>) => {
  it.effect("a new account uses nothing and has no quotas of its own", function* () {
    const { account } = yield* newHome
    assert.deepStrictEqual(yield* usageOf(account), { own: {}, reserved: zeroAmounts, used: zeroAmounts })
  })

  it.effect("what is reserved counts as reserved until it ends, by what was declared of all objects", function* () {
    const home = yield* newHome
    const { account } = home
    yield* reserve(sized(account))
    const reserved = of({ bytesStored: 4321, bytesPerMonth: 4321, previewsPerMonth: 1 })
    assert.deepStrictEqual(yield* usageOf(account), { own: {}, reserved, used: zeroAmounts })
    yield* (yield* BuildStore).commitReserve(sizedBuild(home))
    const both = of({ bytesStored: 4642, bytesPerMonth: 4642, previewsPerMonth: 1 })
    assert.deepStrictEqual((yield* usageOf(account)).reserved, both)
    const before = DateTime.subtract(later, { milliseconds: 1 })
    assert.deepStrictEqual((yield* usageOf(account, "2026-11", before)).reserved, both)
    assert.deepStrictEqual((yield* usageOf(account, "2026-11", later)).reserved, zeroAmounts)
  })

  it.effect("what is finalized counts as used in the month of that, and is kept from then on", function* () {
    const { account } = yield* newHome
    for (const time of ["2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00Z", "2026-11-30T23:59:59.999Z"]) {
      yield* ready(account, at(time))
    }
    const months = { "2026-09": 0, "2026-10": 1, "2026-11": 2, "2026-12": 0 }
    for (const [month, previews] of Object.entries(months)) {
      const used = of({ bytesStored: 3 * 4321, bytesPerMonth: previews * 4321, previewsPerMonth: previews })
      assert.deepStrictEqual(yield* usageOf(account, month), { own: {}, reserved: zeroAmounts, used }, month)
    }
  })

  it.effect("a build counts its bytes, and each further upload of it too", function* () {
    const home = yield* newHome
    const first = sizedBuild(home)
    yield* (yield* BuildStore).commitReserve(first)
    yield* finalizeBuild(first, november)
    const { declaration } = first.reservation
    const now = onFinalize(first.build, first.reservation, { now: november, hostedPrefix: "hosted/x/1/" }).build
    const second = reserveAgain(home, now, { ...open, declaration })
    yield* (yield* BuildStore).commitReserve(second)
    yield* finalizeBuild(second, november)
    const { reserved, used } = yield* usageOf(home.account)
    assert.deepStrictEqual(used, of({ bytesStored: 642, bytesPerMonth: 642 }))
    assert.deepStrictEqual(reserved, zeroAmounts)
  })

  it.effect("what is deleted is not kept any more, and counts in its month still", function* () {
    const { account } = yield* newHome
    const [first] = [yield* ready(account, november), yield* ready(account, november)]
    const store = yield* PreviewStore
    const [kept, open] = [Option.getOrThrow(yield* store.findByShareId(account.id, first.shareId)), sized(account)]
    yield* reserve(open)
    for (const preview of [kept, open]) yield* store.commitDelete({ preview, removals: [] })
    const { reserved, used } = yield* usageOf(account)
    assert.deepStrictEqual(used, of({ bytesStored: 4321, bytesPerMonth: 8642, previewsPerMonth: 2 }))
    assert.deepStrictEqual(reserved, zeroAmounts)
  })

  it.effect("runs count in the month in which they are registered", function* () {
    const home = yield* newHome
    const preview = yield* ready(home.account, at("2026-09-01T00:00:00Z"))
    for (const time of ["2026-10-31T23:59:59Z", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"]) {
      yield* register(home, preview, at(time))
    }
    assert.strictEqual((yield* usageOf(home.account)).used.runsPerMonth, 2)
    assert.strictEqual((yield* usageOf(home.account, "2026-10")).used.runsPerMonth, 1)
    assert.strictEqual((yield* usageOf(home.account, "2026-12")).used.runsPerMonth, 0)
  })

  it.effect("metadata counts from when it is stored, finalized or not, until it is deleted", function* () {
    const home = yield* newHome
    const { account } = home
    const [builds, previews, runs] = [yield* BuildStore, yield* PreviewStore, yield* TestRunStore]
    const preview = sized(account, { metadataBytes: 1000 })
    const upload = firstReserve(home, { reservation: { ...open, metadataBytes: 200 } })
    const run = makeRun(home.repository, preview, { createdAt: november, metadataBytes: 30 })
    const kept = Effect.map(usageOf(account, "2026-11", later), ({ used }) => used.bytesStored)

    yield* reserve(preview)
    yield* builds.commitReserve(upload)
    assert.strictEqual(yield* kept, 1200)
    yield* finalize(preview, november)
    yield* runs.insert({ run })
    assert.deepStrictEqual(
      (yield* usageOf(account)).used,
      of({ bytesStored: 4321 + 1230, bytesPerMonth: 4321, previewsPerMonth: 1, runsPerMonth: 1 })
    )
    // The build has reserved a byte.
    const [full, room] = [
      within({ bytesStored: 5552 }, { bytesStored: 1 }),
      within({ bytesStored: 5553 }, { bytesStored: 1 })
    ]
    const another = makeRun(home.repository, preview, { createdAt: november })
    yield* assertConflict(runs.insert({ run: another, within: full }))
    yield* runs.insert({ run: another, within: room })

    yield* runs.commitDelete(run)
    assert.strictEqual(yield* kept, 4321 + 1200)
    yield* previews.commitDelete({ preview, removals: [] })
    assert.strictEqual(yield* kept, 200)
    yield* builds.commitDelete({ build: upload.build, removals: [] })
    assert.strictEqual(yield* kept, 0)
  })

  it.effect("a commit that is refused counts nothing", function* () {
    const { account } = yield* newHome
    const preview = yield* ready(account, november)
    yield* assertConflict(finalize(preview, november))
    assert.deepStrictEqual(
      (yield* usageOf(account)).used,
      of({ bytesStored: 4321, bytesPerMonth: 4321, previewsPerMonth: 1 })
    )
  })

  it.effect("accounts don't share what they use", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    yield* register(home, yield* ready(home.account, november))
    yield* reserve(sized(home.account))
    assert.deepStrictEqual(yield* usageOf(other.account), { own: {}, reserved: zeroAmounts, used: zeroAmounts })
  })

  it.effect("an account's own quotas are found as they were set last", function* () {
    const store = yield* UsageStore
    const [{ account }, other] = [yield* newHome, yield* newHome]
    const accountId = account.id
    yield* store.setQuotas({ accountId: other.account.id, bytesStored: 5 })
    yield* store.setQuotas({ accountId, bytesStored: 2 ** 45, runsPerMonth: 0 })
    assert.deepStrictEqual((yield* usageOf(account)).own, { bytesStored: 2 ** 45, runsPerMonth: 0 })
    yield* store.setQuotas({ accountId, bytesPerMonth: unlimited, previewsPerMonth: 7 })
    assert.deepStrictEqual((yield* usageOf(account)).own, { bytesPerMonth: unlimited, previewsPerMonth: 7 })
    yield* store.setQuotas({ accountId })
    assert.deepStrictEqual((yield* usageOf(account)).own, {})
    assert.deepStrictEqual((yield* usageOf(other.account)).own, { bytesStored: 5 })
  })

  it.effect(
    "a reserve that would exceed a quota is a Conflict and stores nothing; one up to it is stored",
    function* () {
      const home = yield* newHome
      const { account } = home
      yield* ready(account, november)
      yield* reserve(sized(account))
      // 8,642 bytes and two previews are used or reserved.
      const asked = { bytesStored: 100, bytesPerMonth: 100, previewsPerMonth: 1 }
      const over: ReadonlyArray<Quotas> = [{ bytesStored: 8741 }, { bytesPerMonth: 8741 }, { previewsPerMonth: 2 }]
      const store = yield* BuildStore
      for (const quotas of over) {
        const preview = sized(account)
        yield* assertConflict(reserve(preview, within(quotas, asked)))
        yield* assertConflict(store.commitReserve({ ...sizedBuild(home), within: within(quotas, asked) }))
        assert.deepStrictEqual((yield* usageOf(account)).reserved.previewsPerMonth, 1)
      }
      const exact = { bytesStored: 8742, bytesPerMonth: 8742, previewsPerMonth: 3, runsPerMonth: 0 }
      yield* reserve(sized(account), within(exact, asked))
      yield* store.commitReserve({ ...sizedBuild(home), within: within({ previewsPerMonth: 0 }, { bytesStored: 1 }) })
    }
  )

  it.effect("a run that would exceed a quota is a Conflict and is not stored; one up to it is stored", function* () {
    const home = yield* newHome
    const preview = yield* ready(home.account, november)
    const one = within({ runsPerMonth: 1 }, { runsPerMonth: 1 })
    yield* register(home, preview, november, one)
    yield* assertConflict(register(home, preview, november, one))
    assert.strictEqual((yield* usageOf(home.account)).used.runsPerMonth, 1)
    yield* register(home, preview, at("2026-12-01T00:00:00Z"), { ...one, month: "2026-12" })
  })

  it.effect("many commits at once are all counted", function* () {
    const home = yield* newHome
    const previews = many.map(() => sized(home.account))
    yield* Effect.forEach(previews, (preview) => reserve(preview), { concurrency: "unbounded", discard: true })
    const both = (preview: Preview) =>
      Effect.all([finalize(preview, november), register(home, preview)], { concurrency: "unbounded", discard: true })
    yield* Effect.forEach(previews, both, { concurrency: "unbounded", discard: true })
    const [bytes, count] = [many.length * 4321, many.length]
    assert.deepStrictEqual(
      (yield* usageOf(home.account)).used,
      of({ bytesStored: bytes, bytesPerMonth: bytes, previewsPerMonth: count, runsPerMonth: count })
    )
  })

  it.effect("the times of commits alone decide, however far they are from now", function* () {
    const { account } = yield* newHome
    for (const [month, time] of [
      ["1970-01", "1970-01-01T00:00:00Z"],
      ["2400-06", "2400-06-15T00:00:00Z"]
    ] as const) {
      yield* ready(account, at(time))
      assert.strictEqual((yield* usageOf(account, month)).used.previewsPerMonth, 1)
    }
  })
}

export const usageStoreSuite = suiteOf("UsageStore", usageStoreCases)
