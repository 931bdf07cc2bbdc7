import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { TestRunId } from "../../core/model/TestRun.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Settings } from "../../core/service/Settings.ts"
import { Previews } from "../../core/service/Previews.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { createClient } from "../client/index.ts"
import { inMemory } from "../http/testing/engines.ts"
import { layerServer } from "../node/server.ts"
import { account, lastCiRuns, repository } from "./account.ts"
import { breaking, demoTests, seedHistory } from "./history.ts"

const host = layerServer({
  engines: inMemory,
  secret: Redacted.make("test secret"),
  host: "127.0.0.1",
  port: 0,
  settings: {},
  shutdownTimeout: Duration.seconds(1)
})

layer(host, { excludeTestServices: true })("the demo's history", (it) => {
  it.effect("is of twelve tests: one broken since a known commit, two flaky, one slowing down; and is made once", () =>
    Effect.gen(function* () {
      const admin = yield* Administration
      yield* admin.createAccount({ name: account })
      yield* admin.linkRepository({ account, ...repository })
      const { key } = yield* admin.createKey({ account, name: "demo", scopes: ["preview_upload", "test_runs"] })
      const client = createClient({ url: (yield* Settings).url, key })
      const own = { entry: "index.js", bundleContentType: "text/javascript", isTransformed: true } as const
      const app = { ...own, bundle: Buffer.from("0"), files: [] }
      assert.strictEqual(yield* seedHistory(client, key, app), 729)
      assert.strictEqual(yield* seedHistory(client, key, app), 0)

      const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
      const histories = yield* TestHistories
      const { broken, ciRuns, defaultBranch, flaky } = yield* histories.repository(caller, repository)
      assert.deepStrictEqual([defaultBranch, ciRuns.length], ["main", 60])
      assert.deepStrictEqual(
        broken.map(({ name, summary }) => [name, summary.failingSince?.commitSha, summary.failuresInARow]),
        [["Reserving a slip", breaking.commitSha, breaking.ciRuns]]
      )
      const { failingSince, lastPassed } = broken[0]?.summary ?? {}
      for (const point of [failingSince, lastPassed]) {
        const { run } = yield* (yield* TestRuns).read(caller, TestRunId.make(point?.runId ?? ""))
        const { declaration } = yield* (yield* Previews).read(caller, run.previewShareId)
        assert.lengthOf(declaration.recordings, 5, run.status)
      }
      assert.sameMembers(
        flaky.map(({ name }) => name),
        ["Searching a slip by name", "Weather › updates while it is shown"]
      )
      const { tests } = yield* histories.list(caller, { ...repository, branch: "main" })
      assert.lengthOf(tests, demoTests.length)
      const slower = tests.filter(
        ({ summary: { earlierP50Ms = 0, recentP50Ms = 0 } }) => recentP50Ms > 1.3 * earlierP50Ms
      )
      assert.deepStrictEqual(
        slower.map(({ name }) => name),
        ["Slips › shows a picture of each boat"]
      )
      const { known } = yield* histories.failures(caller, { ...repository, source: lastCiRuns[1].source })
      assert.deepStrictEqual(
        known.map(([{ run }]) => run.name),
        ["Reserving a slip"]
      )
    })
  )
})
