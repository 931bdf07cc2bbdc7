import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { judged, medianChange, slowerShare, slowerSince } from "../../core/rules/testResults.ts"
import { testIdOf } from "../../core/rules/testRuns.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Settings } from "../../core/service/Settings.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { createClient } from "../client/index.ts"
import { inMemory } from "../http/testing/engines.ts"
import { layerServer } from "../node/server.ts"
import { ciRunsOfMain, commitOfMain, fleetTests, seedFleet, sourceOfMain, sourceOfPull, truth } from "./fleet.ts"

const host = layerServer({
  engines: inMemory,
  secret: Redacted.make("test secret"),
  host: "127.0.0.1",
  port: 0,
  settings: {},
  shutdownTimeout: Duration.seconds(1)
})

const named = { owner: "slipway", repo: "fleet" }
type Names = { readonly [Name in "app" | "name" | "platform"]?: string | undefined }
const keyOf = ({ app, name, platform }: Names): string => `${name} (${app}, ${platform})`
const keys = (tests: ReadonlyArray<Names>): Array<string> => tests.map(keyOf)

layer(host, { excludeTestServices: true })("the fleet of the demo", (it) => {
  it.effect(
    "answers what was planned: what broke and when, what is flaky, what got slower, what a pull request breaks",
    () =>
      Effect.gen(function* () {
        const admin = yield* Administration
        yield* admin.createAccount({ name: "demo" })
        const { key } = yield* admin.createKey({
          account: "demo",
          name: "demo",
          scopes: ["preview_upload", "test_runs"]
        })
        const client = createClient({ url: (yield* Settings).url, key })
        assert.strictEqual(
          yield* seedFleet(client, key, "demo"),
          (ciRunsOfMain + truth.pulls.length) * fleetTests.length + 3
        )
        assert.strictEqual(yield* seedFleet(client, key, "demo"), 0)

        const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
        const histories = yield* TestHistories
        const { broken, ciRuns, flaky } = yield* histories.repository(caller, named)
        assert.lengthOf(ciRuns, ciRunsOfMain)
        assert.sameDeepMembers(
          broken.map((test) => [
            keyOf(test),
            test.summary.failingSince?.commitSha,
            test.summary.lastPassed?.commitSha,
            test.summary.failuresInARow
          ]),
          truth.broken.map(({ since, test }) => [
            keyOf(test),
            commitOfMain(since).commitSha,
            commitOfMain(since - 1).commitSha,
            ciRunsOfMain - since
          ])
        )
        const unstable = [...truth.flaky, ...truth.intermittent]
        assert.sameMembers(
          keys(flaky),
          keys(unstable.filter(({ runs }) => runs.some((run) => run > 25)).map(({ test }) => test))
        )

        const pages = yield* Effect.forEach([undefined, "failed", "flaky"] as const, (which) =>
          Effect.gen(function* () {
            const query = {
              ...named,
              branch: "main",
              limit: 100,
              ...(which === "failed" ? { status: which } : {}),
              flaky: which === "flaky"
            }
            return (yield* histories.list(caller, query)).tests
          })
        )
        const [all = [], failed = [], everFlaky = []] = pages
        assert.sameMembers(keys(all), keys(fleetTests))
        assert.sameMembers(keys(failed), keys(truth.broken.map(({ test }) => test)))
        assert.sameMembers(keys(everFlaky), keys(unstable.map(({ test }) => test)))

        const numberOf = new Map(Array.from({ length: ciRunsOfMain }, (_, at) => [commitOfMain(at).commitSha, at]))
        const whole = yield* histories.findEach(
          caller,
          all.map(({ testId }) => testId),
          "main"
        )
        const slower = whole.flatMap((test) => {
          const since = slowerSince(judged(test.results))
          return since === undefined || (medianChange(test.summary) ?? 0) < slowerShare
            ? []
            : [
                {
                  test: keyOf(test),
                  from: numberOf.get(since.from.commitSha ?? ""),
                  to: numberOf.get(since.to.commitSha ?? "")
                }
              ]
        })
        assert.sameDeepMembers(
          slower,
          truth.slower.map(({ since, test }) => ({ test: keyOf(test), from: since, to: since }))
        )

        for (const { added, after, flakyOnMain, pr } of truth.pulls) {
          const failures = yield* histories.failures(caller, { ...named, source: sourceOfPull(pr) })
          const of = (tests: typeof failures.new) =>
            tests.map(
              ([
                {
                  run: { app, device, name }
                }
              ]) => keyOf({ name, app, platform: device?.platform })
            )
          assert.sameMembers(of(failures.new), keys([...added, ...flakyOnMain]), `new in #${pr}`)
          assert.sameMembers(
            of(failures.new.filter(([{ run }]) => failures.flakyOnBase.has(testIdOf(run)))),
            keys(flakyOnMain),
            `flaky in #${pr}`
          )
          assert.sameMembers(
            of(failures.known),
            keys(truth.broken.filter(({ since }) => since <= after).map(({ test }) => test)),
            `known in #${pr}`
          )
        }
        const newest = yield* histories.failures(caller, { ...named, source: sourceOfMain(ciRunsOfMain - 1) })
        assert.lengthOf(newest.new, 0)
        assert.lengthOf(newest.known, truth.broken.length)
      })
  )
})
