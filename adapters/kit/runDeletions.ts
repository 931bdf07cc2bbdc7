import { assert } from "@effect/vitest"
import { Option } from "effect"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { keyOf, newHome } from "./parts/buildPorts.ts"
import { assertFound, plainPreview } from "./parts/plain.ts"
import { assertConflict } from "./parts/racing.ts"
import { instant, makeRun } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { type DeletionPorts, newPreview, newLink, isLinked } from "./parts/deletionPorts.ts"

export const runDeletionCases = (it: Cases<DeletionPorts>) => {
  it.effect("a deleted run is found and listed by nothing, and others are as before", function* () {
    const [runs, overview] = [yield* TestRunStore, yield* OverviewStore]
    const home = yield* newHome
    const { account, repository } = home
    const { preview } = yield* newPreview(home)
    const fields = { name: "Checkout", branch: "main", source: "ci", pr: 7 }
    const all = [4, 5, 6].map((at) => makeRun(repository, preview, { ...fields, createdAt: instant(at) }))
    const [first, deleted, last] = all
    if (first === undefined || deleted === undefined || last === undefined) return assert.fail("three were made")
    for (const run of all) yield* runs.insert({ run })
    yield* runs.commitDelete(deleted)
    assert.isTrue(Option.isNone(yield* runs.find(account.id, deleted.id)))
    const kept = [last.id, first.id]
    const query = {
      account: account.id,
      repository: keyOf(repository),
      after: Option.none(),
      limit: 10,
      bytes: 2 ** 53
    }
    const { name: _, ...given } = fields
    for (const filter of [{}, { kind: deleted.kind }, { status: deleted.status }, given]) {
      const listed = Option.getOrThrow(yield* runs.list({ ...query, filter }))
      assert.deepStrictEqual(
        listed.map(({ run }) => run.id),
        kept
      )
    }
    for (const listed of [
      yield* overview.runs(account.id, 10),
      yield* overview.runsOf(account.id, preview.shareId, 10)
    ]) {
      assert.deepStrictEqual(
        listed.map(({ run }) => run.id),
        kept
      )
    }
    const { previous } = yield* overview.neighbours(account.id, last.id)
    assert.strictEqual(Option.getOrUndefined(previous)?.run.id, first.id)
    yield* assertConflict(runs.commitDelete(deleted))
    assertFound(plainPreview, yield* (yield* PreviewStore).findByToken(preview.tokenHash), preview)
  })

  it.effect("the links to a deleted run end, and no others do", function* () {
    const runs = yield* TestRunStore
    const home = yield* newHome
    const { account, repository } = home
    const { preview } = yield* newPreview(home)
    const [deleted, kept] = [makeRun(repository, preview), makeRun(repository, preview)]
    for (const run of [deleted, kept]) yield* runs.insert({ run })
    const ended = yield* newLink(account, { run: deleted.id })
    const others = [
      yield* newLink(account, { run: kept.id }),
      yield* newLink(account, { preview: preview.shareId }),
      yield* newLink((yield* newHome).account, { run: deleted.id })
    ]
    yield* runs.commitDelete(deleted)
    assert.isFalse(yield* isLinked(ended))
    for (const link of others) assert.isTrue(yield* isLinked(link))
  })

  it.effect("another account deletes no run", function* () {
    const runs = yield* TestRunStore
    const home = yield* newHome
    const { preview } = yield* newPreview(home)
    const run = makeRun(home.repository, preview)
    yield* runs.insert({ run })
    const link = yield* newLink(home.account, { run: run.id })
    yield* assertConflict(runs.commitDelete({ accountId: (yield* newHome).account.id, id: run.id }))
    assert.isTrue(Option.isSome(yield* runs.find(home.account.id, run.id)))
    assert.isTrue(yield* isLinked(link))
  })
}
