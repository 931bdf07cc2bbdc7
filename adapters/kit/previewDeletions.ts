import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Preview } from "../../core/model/Preview.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { onPreviewFinalize } from "../../core/rules/builds.ts"
import { hostedRoot } from "../../core/rules/reservations.ts"
import { newHome } from "./parts/buildPorts.ts"
import { assertAtomic } from "./parts/interruption.ts"
import { assertFound, plainPreview } from "./parts/plain.ts"
import { assertConflict } from "./parts/racing.ts"
import { instant, makePreview, makeRun } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import {
  assertNoRemoval,
  assertRemovals,
  findHosted,
  isLinked,
  newLink,
  newPreview,
  removalOf,
  type DeletionPorts
} from "./parts/deletionPorts.ts"

const finalizedNow = (preview: Preview): Preview =>
  onPreviewFinalize(preview, { now: instant(8), hostedPrefix: `${hostedRoot(preview)}2/` })

export const previewDeletionCases = (it: Cases<DeletionPorts>) => {
  it.effect("a deleted preview is found by nothing, and its removals are stored", function* () {
    const store = yield* PreviewStore
    const reservations = yield* ReservationStore
    const home = yield* newHome
    const { account } = home
    const { hosted, preview } = yield* newPreview(home)
    const open = makePreview(account)
    yield* store.commitReserve({ preview: open })
    const kept = yield* newPreview(home)
    const removal = removalOf(account, preview)
    yield* store.commitDelete({ preview, removals: [removal] })
    yield* store.commitDelete({ preview: open, removals: [] })
    for (const gone of [preview, open]) {
      assert.isTrue(Option.isNone(yield* store.findByShareId(account.id, gone.shareId)))
      assert.isTrue(Option.isNone(yield* store.findByToken(gone.tokenHash)))
      assert.isTrue(Option.isNone(yield* reservations.findForPut(gone.id)))
    }
    assert.strictEqual((yield* reservations.countOpen(account.id, instant(10), 10)).count, 0)
    assert.deepStrictEqual(yield* findHosted(account, hosted, kept.hosted), [kept.hosted.objectKey])
    yield* assertRemovals(removal)
    assertFound(plainPreview, yield* store.findByShareId(account.id, kept.preview.shareId), kept.preview)
    yield* assertConflict(store.commitFinalize({ preview: finalizedNow(open), billed: false }))
    yield* assertConflict(store.commitDelete({ preview, removals: [removal] }))
  })

  it.effect("the runs of a deleted preview stay, and so does what was billed", function* () {
    const [store, runs, overview] = [yield* PreviewStore, yield* TestRunStore, yield* OverviewStore]
    const home = yield* newHome
    const { account, repository } = home
    const { preview } = yield* newPreview(home)
    const run = makeRun(repository, preview)
    yield* runs.insert({ run })
    const usage = yield* store.usage(account.id)
    assert.strictEqual(usage.length, 1)
    yield* store.commitDelete({ preview, removals: [] })
    assert.isTrue(Option.isSome(yield* runs.find(account.id, run.id)))
    const listed = yield* overview.runsOf(account.id, preview.shareId, 10)
    assert.deepStrictEqual(
      listed.map((one) => one.run.id),
      [run.id]
    )
    assert.deepStrictEqual(yield* store.usage(account.id), usage)
    assert.strictEqual(yield* overview.billedSince(account.id, instant(0)), 1)
  })

  it.effect("the links to a deleted preview end, revoked or not, and no others do", function* () {
    const home = yield* newHome
    const { account, repository } = home
    const [deleted, kept] = [yield* newPreview(home), yield* newPreview(home)]
    const stranger = (yield* newHome).account
    const run = makeRun(repository, deleted.preview)
    yield* (yield* TestRunStore).insert({ run })
    const shared = { preview: deleted.preview.shareId }
    const ended = [yield* newLink(account, shared), yield* newLink(account, shared, { revokedAt: instant(9) })]
    const others = [
      yield* newLink(account, { preview: kept.preview.shareId }),
      yield* newLink(account, { run: run.id }),
      yield* newLink(stranger, shared)
    ]
    yield* (yield* PreviewStore).commitDelete({ preview: deleted.preview, removals: [] })
    for (const link of ended) assert.isFalse(yield* isLinked(link))
    for (const link of others) assert.isTrue(yield* isLinked(link))
  })

  it.effect("another account deletes no preview", function* () {
    const store = yield* PreviewStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const { hosted, preview } = yield* newPreview(home)
    const link = yield* newLink(home.account, { preview: preview.shareId })
    const removal = removalOf(stranger.account, preview)
    const asStranger = { ...preview, accountId: stranger.account.id }
    yield* assertConflict(store.commitDelete({ preview: asStranger, removals: [removal] }))
    assertFound(plainPreview, yield* store.findByToken(preview.tokenHash), preview)
    assert.isTrue(yield* isLinked(link))
    assert.deepStrictEqual(yield* findHosted(home.account, hosted), [hosted.objectKey])
    yield* assertNoRemoval(removal)
  })

  assertAtomic(
    it,
    {
      interrupted: "an interrupted deletion of a preview is committed whole or not at all",
      failing: "a deletion of a preview during which the engine fails is committed whole or not at all"
    },
    Effect.gen(function* () {
      const home = yield* newHome
      const { hosted, preview } = yield* newPreview(home)
      const link = yield* newLink(home.account, { preview: preview.shareId })
      const store = yield* PreviewStore
      const removal = removalOf(home.account, preview)
      return {
        run: store.commitDelete({ preview, removals: [removal] }),
        check: Effect.gen(function* () {
          const isThere = Option.isSome(yield* store.findByToken(preview.tokenHash))
          assert.strictEqual(yield* isLinked(link), isThere)
          assert.strictEqual((yield* findHosted(home.account, hosted)).length, isThere ? 1 : 0)
          yield* isThere ? assertNoRemoval(removal) : assertRemovals(removal)
        })
      }
    })
  )
}
