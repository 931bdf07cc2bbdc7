import { assert } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import type { Resource } from "../../core/model/Resource.ts"
import type { RetentionRules } from "../../core/model/Account.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { onFinalize } from "../../core/rules/builds.ts"
import { newBuild, newHome, newPreview, newRun } from "./parts/stored.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { instant, makeAccount, newBuildId } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

const rules: RetentionRules = { previews: Duration.days(90), runs: "forever", buildsPerBranch: 3, billed: "forever" }

export const retentionStoreCases = (it: Cases<MetadataPorts>) => {
  it.effect("the rules of an account are found as they were set last, and none of another account", function* () {
    const store = yield* RetentionStore
    const [home, other] = [yield* newHome, yield* newHome]
    const accountId = home.account.id
    assert.isTrue(Option.isNone(yield* store.rules(accountId)))
    for (const given of [rules, { buildsPerBranch: "all" as const, builds: Duration.millis(1.5 * 86_400_000) }]) {
      yield* store.setRules({ accountId, rules: given })
      assert.deepStrictEqual(Option.getOrUndefined(yield* store.rules(accountId)), given)
    }
    assert.isTrue(Option.isNone(yield* store.rules(other.account.id)))
    yield* store.setRules({ accountId, rules: {} })
    assert.isTrue(Option.isNone(yield* store.rules(accountId)))
  })

  it.effect("a resource is kept since the first call, until it is released", function* () {
    const [store, builds, previews, runs] = [
      yield* RetentionStore,
      yield* BuildStore,
      yield* PreviewStore,
      yield* TestRunStore
    ]
    const home = yield* newHome
    const { account, repository } = home
    const { build, reservation } = yield* newBuild(home)
    const preview = yield* newPreview(account)
    const run = yield* newRun(repository, preview)
    const keptAt = Effect.all([
      Effect.map(
        builds.findById(account.id, build.id),
        Option.map((view) => view.build.keptAt)
      ),
      Effect.map(
        previews.findByShareId(account.id, preview.shareId),
        Option.map((one) => one.keptAt)
      ),
      Effect.map(
        runs.find(account.id, run.id),
        Option.map((view) => view.run.keptAt)
      )
    ]).pipe(Effect.map((all) => all.map(Option.getOrUndefined)))
    const resources = [{ build: build.id }, { preview: preview.shareId }, { run: run.id }]

    assert.deepStrictEqual(yield* keptAt, [undefined, undefined, undefined])
    for (const at of [instant(100), instant(200)]) {
      for (const resource of resources) {
        assert.deepStrictEqual(Option.getOrUndefined(yield* store.keep(resource, at, account.id)), {
          at: instant(100),
          accountId: account.id
        })
      }
    }
    assert.deepStrictEqual(yield* keptAt, [instant(100), instant(100), instant(100)])
    yield* builds.commitFinalize(onFinalize(build, reservation, { now: instant(9), hostedPrefix: "hosted/x/y/" }))
    assert.deepStrictEqual(yield* keptAt, [instant(100), instant(100), instant(100)])
    for (const resource of resources) {
      for (const was of [{ keptAt: instant(100) }, {}]) {
        assert.deepStrictEqual(Option.getOrUndefined(yield* store.release(resource)), { accountId: account.id, ...was })
      }
    }
    assert.deepStrictEqual(yield* keptAt, [undefined, undefined, undefined])
  })

  it.effect("an unknown resource or another account's is neither kept nor released", function* () {
    const store = yield* RetentionStore
    const home = yield* newHome
    const other = makeAccount()
    const { build } = yield* newBuild(home)
    const preview = yield* newPreview(home.account)
    const run = yield* newRun(home.repository, preview)
    for (const resource of [{ build: build.id }, { preview: preview.shareId }, { run: run.id }]) {
      assert.isTrue(Option.isNone(yield* store.keep(resource, instant(100), other.id)))
      assert.isTrue(Option.isNone(yield* store.release(resource, other.id)))
      yield* store.keep(resource, instant(200))
      assert.isTrue(Option.isNone(yield* store.release(resource, other.id)))
      assert.deepStrictEqual(Option.getOrUndefined(yield* store.keep(resource, instant(300))), {
        at: instant(200),
        accountId: home.account.id
      })
    }
    assert.isTrue(Option.isNone(yield* store.keep({ build: newBuildId() }, instant(100))))
    assert.isTrue(Option.isNone(yield* store.release({ build: newBuildId() })))
  })

  it.effect("the owner of a build, preview or run is found until its account is being erased", function* () {
    const store = yield* AccountStore
    const [home, other] = [yield* newHome, yield* newHome]
    const { build } = yield* newBuild(home)
    const preview = yield* newPreview(home.account)
    const run = yield* newRun(home.repository, preview)
    const others = yield* newBuild(other)
    const owner = (resource: Resource) =>
      Effect.map(
        store.findOwner(resource),
        Option.map(({ id }) => id)
      )
    const resources = [{ build: build.id }, { preview: preview.shareId }, { run: run.id }]
    for (const resource of resources) assert.deepStrictEqual(yield* owner(resource), Option.some(home.account.id))
    assert.deepStrictEqual(yield* owner({ build: others.build.id }), Option.some(other.account.id))
    assert.deepStrictEqual(yield* owner({ build: newBuildId() }), Option.none())
    const erasure = {
      nameHash: "a name",
      at: instant(1),
      settledAt: instant(2),
      actor: { administrator: "test" },
      gone: {}
    }
    yield* ErasureStore.use((erasures) => erasures.begin(home.account.id, erasure))
    for (const resource of resources) assert.deepStrictEqual(yield* owner(resource), Option.none())
  })
}
