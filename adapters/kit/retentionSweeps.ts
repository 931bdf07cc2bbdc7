import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { ShareId } from "../../core/model/Preview.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import type { ExpirySelection } from "../../core/model/Sweep.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { ciRunOf, testIdOf } from "../../core/rules/testRuns.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { newBuild, newHome } from "./parts/buildPorts.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { registered } from "./parts/histories.ts"
import { idAt, instant, makeRun, makeShareLink } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import {
  aged,
  assertExpired,
  dueBy,
  expireBy,
  finalize,
  isThere,
  newPreview,
  type Reserved
} from "./parts/sweepPorts.ts"
import { newRun } from "./parts/stored.ts"

export const retentionSweepCases = (it: Cases<MetadataPorts>) => {
  it.effect("previews, runs and billed runs expire by their age, those of the account alone", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    for (const one of [home, other]) {
      const preview = yield* newPreview(one.account, 900, 100)
      yield* newRun(one.repository, preview, { createdAt: instant(100) })
    }
    const links = yield* ShareLinkStore
    const { account } = home
    const [due] = yield* dueBy(aged("previews", account, 100))
    const shared = {
      run: (yield* newRun(home.repository, yield* newPreview(account, 900, 300), { createdAt: instant(300) })).id
    }
    const ofPreview = { preview: ShareId.make(due?.id ?? "") }
    const ended = [shared, ofPreview].map((shared) => makeShareLink(account, { shared }))
    for (const link of ended) yield* links.insert(link)
    assert.strictEqual(due?.sizeBytes, 1)
    for (const rule of ["runs", "previews", "billed"] as const) {
      yield* assertExpired((until) => aged(rule, account, until), 100, 1)
      yield* assertExpired((until) => aged(rule, account, until), 300, 1)
      assert.lengthOf(yield* dueBy(aged(rule, other.account, 300)), 1)
    }
    for (const { id } of ended) assert.isTrue(Option.isNone(yield* links.find(id)))
    const usage = (of: Account) => PreviewStore.use((store) => store.usage(of.id))
    assert.deepStrictEqual(yield* usage(account), [])
    assert.lengthOf(yield* usage(other.account), 1)
  })

  it.effect("histories expire by the last run, and CI runs by their start, those of the account alone", function* () {
    const histories = yield* TestHistoryStore
    const [home, other] = [yield* newHome, yield* newHome]
    const preview = yield* newPreview(home.account, 900, 100)
    const run = (of: typeof home, fields: Partial<TestRun>) =>
      registered(makeRun(of.repository, preview, { branch: "main", ...fields }))
    for (const one of [home, other]) {
      yield* run(one, { createdAt: instant(100), source: "ci:1" })
      yield* run(one, { name: "Late", createdAt: instant(400), startedAt: instant(300), source: "ci:2" })
    }
    const last = yield* run(home, { createdAt: instant(350), branch: "other", source: "ci:3" })
    const load = histories.loadForRun({
      repositoryId: last.repositoryId,
      testId: testIdOf(last),
      branch: "main",
      ciRun: ciRunOf(last)
    })
    const left = Effect.map(load, (loaded) => Object.values(loaded).map(Option.isSome))
    yield* assertExpired((until) => aged("histories", home.account, until), 100, 1)
    assert.deepStrictEqual(yield* left, [true, false, true], "the branch alone ran last then")
    yield* assertExpired((until) => aged("histories", home.account, until), 300, 2)
    yield* assertExpired((until) => aged("histories", home.account, until), 350, 2)
    yield* assertExpired((until) => aged("ci_runs", home.account, until), 100, 1)
    yield* assertExpired((until) => aged("ci_runs", home.account, until), 300, 1)
    yield* assertExpired((until) => aged("ci_runs", home.account, until), 350, 1)
    assert.deepStrictEqual(yield* left, [false, false, false])
    assert.isTrue(Option.isSome(yield* TestRunStore.use((runs) => runs.find(home.account.id, last.id))))
    assert.lengthOf(yield* dueBy(aged("histories", other.account, 300), 1), 4)
    assert.lengthOf(yield* dueBy(aged("ci_runs", other.account, 300), 1), 2)
  })

  it.effect("ready builds of a branch expire beyond a number and beyond an age, but never the latest", function* () {
    const home = yield* newHome
    const lines = [
      { branch: "main", platform: "ios" as const },
      { branch: "main", platform: "android" as const },
      { branch: "other", platform: "ios" as const },
      { branch: "main", platform: "ios" as const, app: "rider" }
    ]
    const made: Array<Reserved> = []
    for (const [index, line] of lines.entries()) {
      for (let nth = 0; nth < 4 - index; nth++) {
        const id = ReservationId.make(idAt(100 * index + nth + 1))
        made.push(
          yield* finalize(yield* newBuild(home, { build: line, reservation: { id, expiresAt: instant(10) } }), 50 + nth)
        )
      }
    }
    const links = yield* ShareLinkStore
    const linkTo = ({ build }: Reserved) => makeShareLink(home.account, { shared: { build: build.id } })
    const linked = made.map((one) => ({ one, link: linkTo(one) }))
    for (const { link } of linked) yield* links.insert(link)
    const selection = (
      fields: { readonly keep?: number; readonly until?: DateTime.Utc },
      now = 10
    ): ExpirySelection => ({
      rule: "builds",
      account: home.account.id,
      now: instant(now),
      ...fields
    })
    assert.strictEqual(yield* expireBy(selection({})), 0)
    assert.strictEqual(yield* expireBy(selection({ keep: 1 }, 9)), 0)
    for (const limit of [1, 2, 3, 100]) assert.lengthOf(yield* dueBy(selection({ keep: 2 }), limit), 3)
    assert.strictEqual(yield* expireBy(selection({ keep: 3 })), 1)
    assert.strictEqual(yield* expireBy(selection({ until: instant(50) })), 2)
    assert.strictEqual(yield* expireBy(selection({ keep: 1, until: instant(1000) })), 3)
    assert.strictEqual(yield* expireBy(selection({ keep: 1, until: instant(1000) })), 0)
    const there = yield* Effect.filter(made, isThere)
    assert.deepStrictEqual(
      there.map(({ build }) => build.id),
      [made[3], made[6], made[8], made[9]].map((one) => one?.build.id)
    )
    for (const { link, one } of linked)
      assert.strictEqual(Option.isSome(yield* links.find(link.id)), there.includes(one))
  })

  it.effect("a build that is the latest now stays, although it was due before", function* () {
    const home = yield* newHome
    const older = yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(10) } }), 50)
    const newer = yield* finalize(
      yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)), expiresAt: instant(10) } }),
      60
    )
    const selection: ExpirySelection = { rule: "builds", account: home.account.id, now: instant(70), keep: 1 }
    const due = yield* dueBy(selection)
    const { accountId, id, version } = newer.build
    yield* BuildStore.use((store) => store.commitDelete({ build: { accountId, id, version }, removals: [] }))
    const resources = due.map(({ id }) => ({ id, removals: [] }))
    assert.deepStrictEqual(yield* SweepStore.use((store) => store.expire(selection, resources)), [])
    assert.isTrue(yield* isThere(older))
  })

  it.effect("a kept resource never expires, nor does the preview of a kept run, until it is released", function* () {
    const home = yield* newHome
    const { account } = home
    const retention = yield* RetentionStore
    const older = yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(10) } }), 50)
    yield* finalize(
      yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)), expiresAt: instant(10) } }),
      60
    )
    const [kept, ofRun] = [yield* newPreview(account, 900, 50), yield* newPreview(account, 900, 50)]
    const run = yield* newRun(home.repository, ofRun, { createdAt: instant(50) })
    const selections: ReadonlyArray<ExpirySelection> = [
      aged("runs", account, 1000),
      aged("previews", account, 1000),
      { rule: "builds", account: account.id, now: instant(1000), keep: 1 }
    ]
    const due = yield* Effect.forEach(selections, (selection) => dueBy(selection))
    const resources = [{ build: older.build.id }, { preview: kept.shareId }, { run: run.id }]
    for (const resource of resources) yield* retention.keep(resource, instant(100))
    for (const [index, selection] of selections.entries()) {
      assert.deepStrictEqual(yield* dueBy(selection), [])
      const were = (due[index] ?? []).map(({ id }) => ({ id, removals: [] }))
      assert.isAbove(were.length, 0)
      assert.deepStrictEqual(yield* SweepStore.use((store) => store.expire(selection, were)), [])
    }
    for (const resource of resources) yield* retention.release(resource)
    assert.deepStrictEqual(yield* Effect.forEach(selections, expireBy), [1, 2, 1])
  })
}
