import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { BuildId, type Build, type BuildReservation } from "../../core/model/Build.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { TestRunId, type TestRun } from "../../core/model/TestRun.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { branchWindow, OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { onPreviewFinalize } from "../../core/rules/builds.ts"
import { compareRuns } from "../../core/rules/testRuns.ts"
import {
  type BuildPorts,
  expectedView,
  type Home,
  keyOf,
  newBuild,
  newHome,
  newPreview,
  newRun as newRunOf,
  plainView,
  reserveAgain
} from "./parts/stored.ts"
import { assertFirst, assertPages, idsOf, plainPreview, plainReservation } from "./parts/plain.ts"
import { idAt, instant, makePreview, makeRepository } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import type { RunPorts } from "./testRunStore.ts"

/** What the cases need beside an `OverviewStore`: the stores whose records it reads. */
type OverviewPorts = BuildPorts | RunPorts | OverviewStore

const buildAt = (home: Home, at: number, fields: Partial<Build> = {}) =>
  newBuild(home, { build: { id: BuildId.make(idAt(at)), ...fields } })

/** Another repository that is linked to the account of `home`. */
const beside = Effect.fnUntraced(function* ({ account }: Home): Effect.fn.Return<Home, unknown, RepositoryStore> {
  return { account, repository: yield* (yield* RepositoryStore).link(makeRepository(account)) }
})

const unlink = ({ account, repository }: Home) =>
  Effect.flatMap(RepositoryStore, (store) => store.unlink(account.id, keyOf(repository)))

/** Stores a run of the given preview, or of a new one. */
const newRun = Effect.fnUntraced(function* (home: Home, fields: Partial<TestRun> = {}, preview?: Preview) {
  return yield* newRunOf(home.repository, preview ?? (yield* newPreview(home.account)), fields)
})

export const overviewStoreCases = (it: Cases<OverviewPorts>) => {
  it.effect(
    "branches: the last build of each branch, platform and app, newest first, with the upload that it shows",
    function* () {
      const store = yield* OverviewStore
      const home = yield* newHome
      yield* buildAt(home, 1, { branch: "main", platform: "ios" })
      const android = yield* buildAt(home, 2, { branch: "main", platform: "android" })
      const ios = yield* buildAt(home, 5, { branch: "main", platform: "ios" })
      const topic = yield* buildAt(home, 4, { branch: "Main", platform: "ios" })
      const rider = yield* buildAt(home, 0, { branch: "main", platform: "ios", app: "rider" })
      yield* buildAt(home, 3, { branch: "Main", platform: "ios" })
      const { account, repository } = home
      for (const query of [{}, { repository: keyOf(repository) }]) {
        assert.deepStrictEqual(
          (yield* store.branches({ account: account.id, limit: 10, ...query })).map(plainView),
          [ios, topic, android, rider].map((change) => expectedView(home, change))
        )
      }
      const two = yield* store.branches({ account: account.id, limit: 2 })
      assert.deepStrictEqual(idsOf(two.map(({ build }) => build)), [ios.build.id, topic.build.id])
    }
  )

  it.effect("branches: of every repository that is linked to the account, or of the one that is named", function* () {
    const store = yield* OverviewStore
    const home = yield* newHome
    const [second, gone, stranger] = [yield* beside(home), yield* beside(home), yield* newHome]
    const one = yield* buildAt(home, 1)
    const two = yield* buildAt(second, 2)
    yield* buildAt(gone, 3)
    yield* unlink(gone)
    yield* buildAt(stranger, 4)
    const of = (query: { readonly repository?: ReturnType<typeof keyOf>; readonly limit?: number }) =>
      Effect.map(store.branches({ account: home.account.id, limit: 10, ...query }), (found) =>
        idsOf(found.map(({ build }) => build))
      )
    assert.deepStrictEqual(yield* of({}), [two.build.id, one.build.id])
    assert.deepStrictEqual(yield* of({ limit: 1 }), [two.build.id])
    assert.deepStrictEqual(yield* of({ repository: keyOf(home.repository) }), [one.build.id])
    for (const other of [gone, stranger]) {
      assert.deepStrictEqual(yield* of({ repository: keyOf(other.repository) }), [])
    }
  })

  it.effect("branches: gathered from a repository's last builds, and from no earlier ones", function* () {
    const store = yield* OverviewStore
    const home = yield* newHome
    yield* buildAt(home, 1, { branch: "early" })
    const inTheWindow = Array.from({ length: branchWindow - 1 }, (_, index) => index + 2)
    yield* Effect.forEach(inTheWindow, (at) => buildAt(home, at, { branch: "late" }), { concurrency: 10 })
    const of = Effect.map(store.branches({ account: home.account.id, limit: 10 }), (found) =>
      found.map(({ build }) => build.branch)
    )
    assert.deepStrictEqual(yield* of, ["late", "early"])
    yield* buildAt(home, branchWindow + 1, { branch: "late" })
    assert.deepStrictEqual(yield* of, ["late"])
  })

  it.effect(
    "builds: a repository's, newest first, of a branch, a platform and an app, after one, within the limit",
    function* () {
      const store = yield* OverviewStore
      const home = yield* newHome
      const other = yield* beside(home)
      const [ios, android] = [{ platform: "ios" }, { platform: "android" }] as const
      const stored = [
        yield* buildAt(home, 3, { branch: "a", ...ios }),
        yield* buildAt(home, 5, { branch: "a", ...android }),
        yield* buildAt(home, 1, { branch: "b", ...ios }),
        yield* buildAt(home, 4, { branch: "a", ...ios }),
        yield* buildAt(home, 2, { branch: "A", ...android, app: "rider" }),
        yield* buildAt(home, 6, { branch: "a", ...android, app: "rider" }),
        yield* buildAt(home, 7, { branch: "a", ...android, app: "Rider" })
      ]
      yield* buildAt(other, 9)
      const newest = stored.toSorted((a, b) => (a.build.id < b.build.id ? 1 : -1))
      const query = { account: home.account.id, repository: keyOf(home.repository) }
      const views = yield* store.builds({ ...query, limit: 10 })
      assert.deepStrictEqual(
        views.map(plainView),
        newest.map((change) => expectedView(home, change))
      )
      for (const branch of [undefined, "a", "A", "b", "c"]) {
        for (const platform of [undefined, "ios", "android"] as const) {
          for (const app of [undefined, "rider", "ride"]) {
            const expected = newest
              .map(({ build }) => build)
              .filter((build) => branch === undefined || build.branch === branch)
              .filter((build) => platform === undefined || build.platform === platform)
              .filter((build) => app === undefined || build.app === app)
            yield* assertPages(idsOf(expected), (limit, after) =>
              Effect.map(store.builds({ ...query, branch, platform, app, after, limit }), (found) =>
                idsOf(found.map(({ build }) => build))
              )
            )
          }
        }
      }
    }
  )

  it.effect("builds: nothing of a repository that isn't linked to the account", function* () {
    const store = yield* OverviewStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    yield* buildAt(home, 1)
    const of = ({ account }: Home) =>
      store.builds({ account: account.id, repository: keyOf(home.repository), limit: 10 })
    assert.lengthOf(yield* of(home), 1)
    assert.deepStrictEqual(yield* of(stranger), [])
    yield* unlink(home)
    assert.deepStrictEqual(yield* of(home), [])
  })

  it.effect("uploads: a build's reservations, the last first, and nothing of another account's", function* () {
    const store = yield* OverviewStore
    const builds = yield* BuildStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const first = yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(1)) } })
    yield* newBuild(home)
    const all: Array<BuildReservation> = [first.reservation]
    let { build } = first
    for (const at of [2, 3]) {
      const next = reserveAgain(home, build, { id: ReservationId.make(idAt(at)) })
      yield* builds.commitReserve(next)
      build = next.build
      all.unshift(next.reservation)
    }
    const of = ({ account }: Home, limit: number) => store.uploads(account.id, build.id, limit)
    yield* assertFirst(all.map(plainReservation), (limit) =>
      Effect.map(of(home, limit), (found) => found.map(plainReservation))
    )
    assert.deepStrictEqual(yield* of(stranger, 10), [])
    yield* unlink(home)
    assert.deepStrictEqual(yield* of(home, 10), [])
  })

  it.effect("runsOf: those that point at the preview, newest first, within the limit", function* () {
    const store = yield* OverviewStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const preview = yield* newPreview(home.account)
    const runs = yield* Effect.forEach([2, 3, 1], (at) => newRun(home, { createdAt: instant(at) }, preview))
    const newestFirst = idsOf(runs.toSorted(compareRuns))
    yield* newRun(home)
    const of = ({ account }: Home, limit: number) =>
      Effect.map(store.runsOf(account.id, preview.shareId, limit), (found) => idsOf(found.map(({ run }) => run)))
    yield* assertFirst(newestFirst, (limit) => of(home, limit))
    assert.deepStrictEqual(yield* of(stranger, 10), [])
    yield* unlink(home)
    assert.deepStrictEqual(yield* of(home, 10), [])
  })

  it.effect("previews: those of a repository that are ready, newest first, after one, within the limit", function* () {
    const [store, previews] = [yield* OverviewStore, yield* PreviewStore]
    const [home, stranger] = [yield* newHome, yield* newHome]
    const other = yield* beside(home)
    const made = Effect.fnUntraced(function* (
      { account, repository }: Home,
      at: number,
      isReady = true,
      billingKind = "preview"
    ) {
      const id = ReservationId.make(idAt(at))
      const declaration = { ...makePreview(account).declaration, billingKind }
      const preview = yield* newPreview(account, { id, repositoryId: repository.id, declaration })
      const ready = onPreviewFinalize(preview, { now: instant(9), hostedPrefix: "hosted/x/y/" })
      if (isReady) yield* previews.commitFinalize({ preview: ready, billed: false })
      return ready
    })
    const all = yield* Effect.forEach([3, 5, 2, 6], (at) => made(home, at))
    const open = yield* made(home, 4, false)
    yield* made(other, 7)
    yield* made(stranger, 8)
    yield* newPreview(home.account)
    const query = { account: home.account.id, repository: keyOf(home.repository), limit: 10 }
    const newest = all.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    assert.deepStrictEqual((yield* store.previews(query)).map(plainPreview), newest.map(plainPreview))
    yield* assertPages(idsOf(newest), (limit, after) => Effect.map(store.previews({ ...query, limit, after }), idsOf))
    assert.deepStrictEqual(
      idsOf(yield* store.previews({ ...query, after: open.id, limit: 1 })),
      idsOf(newest.slice(2, 3))
    )
    assert.deepStrictEqual(yield* store.previews({ ...query, account: stranger.account.id }), [])
    const ofRun = yield* made(home, 9, true, "test_run")
    const isTestRun = false
    assert.deepStrictEqual(idsOf(yield* store.previews({ ...query, limit: 1 })), [ofRun.id])
    yield* assertPages(idsOf(newest), (limit, after) =>
      Effect.map(store.previews({ ...query, limit, after, isTestRun }), idsOf)
    )
    yield* previews.commitDelete({ preview: ofRun, removals: [] })
    const [last, ...rest] = newest
    if (last === undefined) return assert.fail("four were made")
    yield* previews.commitDelete({ preview: last, removals: [] })
    assert.deepStrictEqual(idsOf(yield* store.previews(query)), idsOf(rest))
    yield* unlink(home)
    assert.deepStrictEqual(yield* store.previews(query), [])
  })

  it.effect(
    "neighbours: the runs next to one of its test: same repository, kind, name or prompt, file, platform and app",
    function* () {
      const store = yield* OverviewStore
      const home = yield* newHome
      const other = yield* beside(home)
      const long = "漢".repeat(1023)
      const around = Effect.fnUntraced(function* (id: TestRunId, account = home.account.id) {
        const { next, previous } = yield* store.neighbours(account, id)
        const idOf = Option.match({
          onNone: () => undefined,
          onSome: ({ run }: { readonly run: TestRun }): string => run.id
        })
        return [idOf(previous), idOf(next)]
      })
      for (const [fields, others] of [
        [
          { name: "Pay" },
          [{ name: "pay" }, { name: "Pay " }, { name: "Pay", file: "a" }, { name: "Pay", kind: "detox" }]
        ],
        [
          { name: "Pay", file: "f", device: { platform: "ios" } },
          [
            { name: "Pay", file: "f" },
            { name: "Pay", file: "f", device: { platform: "android" } }
          ]
        ],
        [{ name: "Pay", app: "rider" }, [{ name: "Pay" }, { name: "Pay", app: "Rider" }]],
        [{ prompt: "Buy it" }, [{ prompt: "Buy" }, { name: "Other", prompt: "Buy it" }]],
        [{ name: `${long}a` }, [{ name: `${long}b` }, { name: long }]]
      ] as const) {
        const runs = yield* Effect.forEach([1, 2, 3], (at) => newRun(home, { ...fields, createdAt: instant(at * 10) }))
        yield* Effect.forEach(others, (one) => newRun(home, { ...one, createdAt: instant(21) }))
        yield* newRun(other, { ...fields, createdAt: instant(19) })
        const all = runs.map(({ id }) => id)
        for (const [index, id] of all.entries()) {
          assert.deepStrictEqual(yield* around(id), [all[index - 1], all[index + 1]])
        }
      }
    }
  )

  it.effect("neighbours: ties go by id; nothing of what is another account's, unknown or not linked", function* () {
    const store = yield* OverviewStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const [a, b, c] = yield* Effect.forEach([1, 2, 3], (at) =>
      newRun(home, { id: TestRunId.make(idAt(at)), name: "Tie", createdAt: instant(7) })
    )
    if (a === undefined || b === undefined || c === undefined) return assert.fail("three were made")
    const { next, previous } = yield* store.neighbours(home.account.id, b.id)
    const ids = [previous, next].map((one) => Option.getOrUndefined(one)?.run.id)
    assert.deepStrictEqual(ids, [a.id, c.id])
    const assertNone = Effect.fnUntraced(function* ({ account }: Home, id: TestRunId) {
      const none = yield* store.neighbours(account.id, id)
      assert.isTrue(Option.isNone(none.previous) && Option.isNone(none.next))
    })
    yield* assertNone(stranger, b.id)
    yield* assertNone(home, TestRunId.make(idAt(4)))
    yield* unlink(home)
    yield* assertNone(home, b.id)
  })

  it.effect("billedSince: the account's billed previews, of that very instant or finalized later", function* () {
    const store = yield* OverviewStore
    const previews = yield* PreviewStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    for (const [owner, at, billed] of [
      [home, 9, true],
      [home, 10, true],
      [home, 11, true],
      [home, 12, false],
      [stranger, 12, true]
    ] as const) {
      const preview = onPreviewFinalize(yield* newPreview(owner.account), {
        now: instant(at),
        hostedPrefix: "hosted/x/y/"
      })
      yield* previews.commitFinalize({ preview, billed })
    }
    for (const [from, count] of [
      [0, 3],
      [10, 2],
      [12, 0]
    ] as const) {
      assert.strictEqual(yield* store.billedSince(home.account.id, instant(from)), count)
    }
  })
}
