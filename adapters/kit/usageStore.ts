import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Result, Schema } from "effect"
import { unlimited, type Account, type Amounts, type Quotas } from "../../core/model/Account.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import type { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { zeroAmounts } from "../../core/rules/limits.ts"
import { firstReserve, newHome, reserveAgain, type Home } from "./parts/stored.ts"
import { assertConflict, concurrently, many } from "./parts/commits.ts"
import { makePreview, makeReservation, makeRun, newBuildId } from "./parts/samples.ts"
import { forAll, type Cases } from "./parts/suite.ts"

/** What the cases need beside a `UsageStore`: what the commits of these ports made is what is used. */
type UsagePorts =
  | AccountStore
  | RepositoryStore
  | BuildStore
  | PreviewStore
  | ReservationStore
  | TestRunStore
  | UsageStore

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

/** A step of a walk: reserves at a time, in minutes, which may be before that of an earlier step. `which` selects an open upload. */
const OpenStep = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("reserve"),
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
    minutes: Schema.Literals([0, 1, 5, 20]),
    isPreview: Schema.Boolean
  }),
  Schema.Struct({
    do: Schema.Literals(["finalize", "delete"]),
    which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
  })
])
const OpenWalk = Schema.Array(OpenStep).check(Schema.isBetweenLength(5, 25))

type OpenUpload = { readonly preview: Preview } | { readonly build: ReturnType<typeof firstReserve> }

const finalizeOpen = (upload: OpenUpload) =>
  "preview" in upload ? finalize(upload.preview, november) : finalizeBuild(upload.build, november)

const deleteOpen = (upload: OpenUpload) =>
  "preview" in upload
    ? PreviewStore.use((store) => store.commitDelete({ preview: upload.preview, removals: [] }))
    : BuildStore.use((store) => store.commitDelete({ build: upload.build.build, removals: [] }))

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

  it.effect("of many reserves and runs at once, as many are stored as fit into each limit", function* () {
    const home = yield* newHome
    const { account } = home
    const stored = (commits: ReadonlyArray<Effect.Effect<void, unknown, UsagePorts>>) =>
      Effect.map(concurrently(commits), (results) => results.filter(Result.isSuccess).length)
    const [builds, previews] = [yield* BuildStore, yield* PreviewStore]
    const open = yield* stored(
      many.map((n) =>
        n % 2 === 0
          ? previews.commitReserve({ preview: sized(account), openBelow: 11 })
          : builds.commitReserve({ ...sizedBuild(home), openBelow: 11 })
      )
    )
    assert.strictEqual(open, 11)
    const before = yield* usageOf(account)
    const bytes = within({ bytesStored: before.reserved.bytesStored + 7 * 4321 }, { bytesStored: 4321 })
    assert.strictEqual(yield* stored(many.map(() => reserve(sized(account), bytes))), 7)
    const preview = yield* ready(account, november)
    const runs = within({ runsPerMonth: 5 }, { runsPerMonth: 1 })
    assert.strictEqual(yield* stored(many.map(() => register(home, preview, november, runs))), 5)
  })

  it.effect("far below its limits, an account reserves at once and is counted exactly", function* () {
    const { account } = yield* newHome
    const loose = within({ bytesStored: 2 ** 50 }, { bytesStored: 4321 })
    yield* Effect.forEach(many, () => reserve(sized(account), loose), { concurrency: "unbounded", discard: true })
    assert.strictEqual((yield* usageOf(account)).reserved.bytesStored, many.length * 4321)
  })

  it.effect("in a random walk, what is counted as open at any time equals a recount of what is stored", () =>
    forAll(
      OpenWalk,
      Effect.fnUntraced(function* (steps) {
        const home = yield* newHome
        const [builds, previews, reservations] = [yield* BuildStore, yield* PreviewStore, yield* ReservationStore]
        const open: Array<{ readonly end: number; readonly bytes: number; readonly upload: OpenUpload }> = []
        const minute = (minutes: number) => DateTime.add(november, { minutes })
        for (const step of steps) {
          if (step.do === "reserve") {
            const times = { reservedAt: minute(step.at), expiresAt: minute(step.at + step.minutes) }
            const end = step.at + step.minutes
            if (step.isPreview) {
              const preview = sized(home.account, times)
              yield* previews.commitReserve({ preview })
              open.push({ end, bytes: 4321, upload: { preview } })
            } else {
              const { declaration } = sizedBuild(home).reservation
              const build = firstReserve(home, { reservation: { ...times, declaration } })
              yield* builds.commitReserve(build)
              open.push({ end, bytes: 321, upload: { build } })
            }
          } else {
            const [one] = open.splice(step.which % Math.max(open.length, 1), 1)
            if (one !== undefined) yield* step.do === "finalize" ? finalizeOpen(one.upload) : deleteOpen(one.upload)
          }
          for (const at of [0, 7, 15, 31, 60]) {
            const [now, left] = [minute(at), open.filter(({ end }) => end > at)]
            const { reserved } = yield* usageOf(home.account, "2026-11", now)
            const bytes = left.reduce((sum, one) => sum + one.bytes, 0)
            const previewsPerMonth = left.filter(({ upload }) => "preview" in upload).length
            assert.deepStrictEqual(reserved, of({ bytesStored: bytes, bytesPerMonth: bytes, previewsPerMonth }))
            const { count, firstEnd } = yield* reservations.countOpen(home.account.id, now, 100)
            assert.strictEqual(count, left.length)
            const first = left.length === 0 ? undefined : minute(Math.min(...left.map(({ end }) => end)))
            assert.deepStrictEqual(Option.getOrUndefined(firstEnd), first)
          }
        }
      }),
      { runs: 8, size: 30 }
    )
  )

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
