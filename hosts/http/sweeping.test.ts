/** Retention and garbage collection, seen over HTTP. */
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { BuildId } from "../../core/model/Build.ts"
import { sumSwept, type SweepPosition, type Swept } from "../../core/model/Sweep.ts"
import { testEngines } from "./testing/engines.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { bundle, commit, finalize, latest, put, readyBuild, reserve } from "./testing/uploads.ts"

/** A whole sweep: how much it deleted, or would delete, by rule. */
const sweep = Effect.fnUntraced(function* (dryRun = false) {
  const { admin } = yield* TestHost
  const all: Array<Swept> = []
  let from: SweepPosition | undefined
  do {
    const step = yield* admin.sweepStep({ dryRun, ...(from === undefined ? {} : { from }) })
    all.push(...step.swept)
    from = step.next
  } while (from !== undefined)
  return Object.fromEntries(sumSwept(all).map(({ count, rule }) => [rule, count]))
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`sweeping on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("reports the objects of a deletion as removals, not as orphans", function* () {
      const { admin } = yield* TestHost
      const account = yield* newAccount(["builds"])
      const { id } = (yield* readyBuild(account, { commitSha: commit(1) })).row
      yield* TestClock.adjust("26 hours")
      const { orphans, removals = 0 } = yield* sweep(true)
      yield* admin.deleteResource({ resource: { build: BuildId.make(id) } })
      const planned = yield* sweep(true)
      assert.isAbove(planned.removals ?? 0, removals)
      assert.strictEqual(planned.orphans, orphans)
    })

    it.effect("answers 404 to a finalize whose reservation was collected, and leaves no trace of it", function* () {
      const account = yield* newAccount(["builds"])
      const { slots, token } = yield* reserve(account, { commitSha: commit(1) })
      yield* put(slots.bundle, bundle)
      yield* TestClock.adjust("26 hours")
      assert.strictEqual((yield* finalize(account, token)).status, 410)
      yield* sweep()
      assert.strictEqual((yield* finalize(account, token)).status, 404)
      assert.strictEqual((yield* latest(account)).status, 404)
    })

    it.effect("refuses contradictory rules, and keeping a deleted resource, in a line", function* () {
      const { admin } = yield* TestHost
      const account = yield* newAccount(["builds"])
      const said = (rules: Parameters<typeof admin.retain>[0]["rules"]) =>
        admin.retain({ account: account.name, rules, forget: [] }).pipe(
          Effect.flip,
          Effect.map((error) => ("message" in error ? error.message : ""))
        )
      assert.match(yield* said({ buildsPerBranch: 0 }), /^--builds-per-branch must be a whole number, 1 or more/u)
      assert.match(yield* said({ previews: Duration.minutes(1) }), /^--previews must be 1h or longer/u)
      assert.match(yield* said({ previews: Duration.days(1), runs: Duration.days(2) }), /^--runs must not be longer/u)
      const { own } = yield* admin.retain({ account: account.name, rules: {}, forget: [] })
      assert.deepStrictEqual(own, {})
      for (const pin of [admin.keep, admin.release]) {
        const refused = yield* Effect.flip<unknown, unknown, never>(pin({ resource: { build: BuildId.make("gone") } }))
        assert.include(String(Reflect.get(Object(refused), "message")), "There is no build gone, or it was deleted.")
      }
    })
  })
}

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { keepAudit: Duration.days(30) }))(
    `an audit log that is kept for a while, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("expires entry by entry at that age, and a dry run counts how many would", function* () {
        const { admin } = yield* TestHost
        const actions = Effect.map(admin.listAudit({ limit: 100 }), (all) => all.map(({ action }) => action))
        const { name } = yield* newAccount()
        yield* TestClock.adjust("1 day")
        yield* admin.setQuotas({ account: name, quotas: { runsPerMonth: 7 } })
        assert.deepStrictEqual(yield* actions, [
          "quotas.changed",
          "key.created",
          "repository.linked",
          "account.created"
        ])
        yield* TestClock.adjust("29 days")
        assert.notProperty(yield* sweep(true), "audit")
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* sweep(true), { audit: 3 })
        assert.deepInclude(yield* sweep(), { audit: 3 })
        assert.deepStrictEqual(yield* actions, ["quotas.changed"])
        assert.notProperty(yield* sweep(), "audit")
      })
    }
  )
}
