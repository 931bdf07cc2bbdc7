/** Retention and garbage collection, seen over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { BuildId } from "../../core/model/Build.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { sumSwept, type SweepPosition, type Swept } from "../../core/model/Sweep.ts"
import { testEngines } from "./testing/engines.ts"
import { readPreview, readyPreview, reserveFull } from "./testing/previews.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { bundle, commit, finalize, latest, put, read, readyBuild, reserve } from "./testing/uploads.ts"

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
    it.effect("deletes abandoned and superseded uploads with their bytes, and nothing that is open or shown", () =>
      Effect.gen(function* () {
        const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
        const ready = (yield* readyBuild(account, { commitSha: commit(1) })).row
        yield* readyBuild(account, { commitSha: commit(1) })
        const abandoned = yield* reserve(account, { commitSha: commit(2) })
        yield* put(abandoned.slots.bundle, bundle)
        yield* reserveFull(account)
        yield* TestClock.adjust("24 hours")
        const live = yield* reserve(account, { commitSha: commit(3) })
        yield* TestClock.adjust("59 minutes")
        assert.notProperty(yield* sweep(true), "abandoned_builds")
        yield* TestClock.adjust("1 minute")
        const planned = yield* sweep(true)
        assert.deepInclude(planned, { abandoned_builds: 1, superseded_uploads: 1, abandoned_previews: 1 })
        assert.deepInclude(yield* sweep(true), planned)
        const done = yield* sweep()
        assert.deepInclude(done, { abandoned_builds: 1, superseded_uploads: 1, abandoned_previews: 1 })
        assert.isAbove(Number(done.removals), 0)
        assert.notProperty(
          yield* sweep(true),
          "removals",
          "what is looked at once more, when nothing can be stored there"
        )
        assert.strictEqual((yield* read(account, abandoned.id)).status, 404)
        assert.strictEqual((yield* read(account, ready.id)).status, 200)
        assert.strictEqual((yield* read(account, live.id)).status, 200)
        const { hostedBundle } = yield* TestHost
        assert.strictEqual(yield* hostedBundle(account.key, ready.id), new TextDecoder().decode(bundle))
        yield* TestClock.adjust("2 hours")
        yield* sweep()
        assert.deepStrictEqual(yield* sweep(), {})
      })
    )

    it.effect("reports the objects of a deletion as removals, not as orphans", () =>
      Effect.gen(function* () {
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
    )

    it.effect("answers 404 to a finalize whose reservation was collected, and leaves no trace of it", () =>
      Effect.gen(function* () {
        const account = yield* newAccount(["builds"])
        const { slots, token } = yield* reserve(account, { commitSha: commit(1) })
        yield* put(slots.bundle, bundle)
        yield* TestClock.adjust("26 hours")
        assert.strictEqual((yield* finalize(account, token)).status, 410)
        yield* sweep()
        assert.strictEqual((yield* finalize(account, token)).status, 404)
        assert.strictEqual((yield* latest(account)).status, 404)
      })
    )

    it.effect("expires previews and runs by the rules of their account, except kept ones", () =>
      Effect.gen(function* () {
        const { admin } = yield* TestHost
        const [account, other] = [
          yield* newAccount(["preview_upload", "test_runs"]),
          yield* newAccount(["preview_upload", "test_runs"])
        ]
        const [kept, gone] = [(yield* readyPreview(account)).shareId, (yield* readyPreview(account)).shareId]
        const others = (yield* readyPreview(other)).shareId
        yield* admin.keep({ resource: { preview: ShareId.make(kept) } })
        const rules = { previews: Duration.days(90) }
        yield* admin.retain({ account: account.name, rules, forget: [] })
        yield* TestClock.adjust("89 days")
        assert.notProperty(yield* sweep(), "previews")
        yield* TestClock.adjust("1 day")
        assert.deepInclude(yield* sweep(true), { previews: 1 })
        assert.deepInclude(yield* sweep(), { previews: 1 })
        assert.strictEqual((yield* readPreview(account, gone)).status, 404)
        assert.strictEqual((yield* readPreview(account, kept)).status, 200)
        assert.strictEqual((yield* readPreview(other, others)).status, 200)
        yield* admin.release({ resource: { preview: ShareId.make(kept) } })
        assert.deepInclude(yield* sweep(), { previews: 1 })
      })
    )

    it.effect("keeps the latest ready build of a branch regardless of the rules", () =>
      Effect.gen(function* () {
        const { admin } = yield* TestHost
        const account = yield* newAccount(["builds"])
        const ids: Array<string> = []
        for (const nth of [1, 2, 3, 4]) {
          ids.push((yield* readyBuild(account, { commitSha: commit(nth) })).row.id)
          yield* TestClock.adjust("1 second")
        }
        yield* admin.keep({ resource: { build: BuildId.make(ids[0] ?? "") } })
        yield* admin.retain({
          account: account.name,
          rules: { builds: Duration.days(1), buildsPerBranch: 2 },
          forget: []
        })
        yield* TestClock.adjust("2 hours")
        assert.deepInclude(yield* sweep(), { builds: 1 })
        yield* TestClock.adjust("60 days")
        assert.deepInclude(yield* sweep(), { builds: 1 })
        const statuses = yield* Effect.forEach(ids, (id) => Effect.map(read(account, id), ({ status }) => status))
        assert.deepStrictEqual(statuses, [200, 404, 404, 200])
      })
    )

    it.effect("refuses contradictory rules, and pins on deleted resources, in a line", () =>
      Effect.gen(function* () {
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
          const refused = yield* Effect.flip<unknown, unknown, never>(
            pin({ resource: { build: BuildId.make("gone") } })
          )
          assert.include(String(Reflect.get(Object(refused), "message")), "There is no build gone, or it was deleted.")
        }
      })
    )
  })
}

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { keepAudit: Duration.days(30) }))(
    `an audit log that is kept for a while, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("expires entry by entry at that age, and a dry run counts how many would", () =>
        Effect.gen(function* () {
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
      )
    }
  )
}
