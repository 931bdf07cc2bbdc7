/** Imports that a host refuses, or that end in the middle: run again, they complete, and nothing is stored twice. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { createClient, type Client, type TestRun } from "../../client/index.ts"
import { cutWhileReading, lose, refuse, startFront, type Front } from "../../client/testing/front.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { runCi, type Ran } from "../testing/runCi.ts"
import { maestroFixtures } from "./testing/reading.ts"

const out = join(maestroFixtures, "out")

/** Five runs, none of which has a recording. */
const report = join(out, "report.xml")

interface Tried {
  readonly front: Front
  readonly runs: () => Promise<ReadonlyArray<TestRun>>
  /** Imports a path through the front. */
  readonly imported: (path: string) => Promise<Ran>
  /** Lets time pass for the host. */
  readonly pass: (time: "2 hours") => Promise<void>
}

const tried = (run: (tried: Tried) => Promise<void>) =>
  Effect.gen(function* () {
    const { url } = yield* TestHost
    const { key, owner, repo } = yield* newAccount(["preview_upload", "test_runs"])
    const front = yield* Effect.acquireRelease(
      Effect.promise(() => startFront(url)),
      ({ close }) => Effect.promise(close)
    )
    const env = {
      SLIPWAY_URL: front.url,
      SLIPWAY_KEY: key,
      SLIPWAY_OWNER: owner,
      SLIPWAY_REPO: repo,
      SLIPWAY_BRANCH: "main",
      SLIPWAY_COMMIT: "b".repeat(40),
      SLIPWAY_SOURCE: "github:1"
    }
    const direct: Client = createClient({ url, key })
    const pass = Effect.runPromiseWith(yield* Effect.context<never>())
    yield* Effect.promise(() =>
      run({
        front,
        imported: (path) => runCi(["import", "maestro", path], { env }),
        runs: async () => (await direct.testRuns.list({ org: owner, repo, limit: 100 })).testRuns,
        pass: (time) => pass(TestClock.adjust(time))
      })
    )
  })

const assertDone = async ({ imported, runs }: Tried) => {
  const { code, err } = await imported(out)
  assert.strictEqual(code, 0, err)
  const registered = await runs()
  assert.lengthOf(registered, 5)
  assert.strictEqual(new Set(registered.map(({ previewShareId }) => previewShareId)).size, 5)
}

const count = ({ asked }: Front, method: string) => asked.filter(({ call }) => call.startsWith(method)).length

layer(TestHost.layer(inMemory))("an import", (it) => {
  it.effect(
    "sends the page in the place of the app once, and asks three times for each further run, and twice for the import",
    () =>
      tried(async ({ front, imported }) => {
        assert.strictEqual((await imported(report)).code, 0)
        assert.strictEqual(count(front, "PUT"), 1)
        assert.strictEqual(count(front, "POST"), 5 * 3 + 2)
      })
  )

  it.effect("sends the bytes of recordings once, however often it is run", () =>
    tried(async ({ front, imported }) => {
      assert.strictEqual((await imported(out)).code, 0)
      const sent = count(front, "PUT")
      assert.strictEqual((await imported(out)).code, 0)
      assert.strictEqual(count(front, "PUT"), sent)
    })
  )

  it.effect("whose PUT is refused does the rest when it is run again", () =>
    tried(async (all) => {
      all.front.next("PUT", refuse(400))
      assert.strictEqual((await all.imported(out)).code, 3)
      assert.lengthOf(await all.runs(), 0)
      await assertDone(all)
    })
  )

  it.effect("whose registration is refused registers the preview that is there already", () =>
    tried(async (all) => {
      const { front } = all
      front.next("POST", front.pass, front.pass, refuse(400))
      assert.strictEqual((await all.imported(out)).code, 3)
      assert.lengthOf(await all.runs(), 0)
      await assertDone(all)
      assert.strictEqual(new Set(front.asked.flatMap(({ key }) => key ?? [])).size, 10, "five previews and five runs")
    })
  )

  it.effect("continues when the host answers 500 twice, and a PUT is interrupted", () =>
    tried(async (all) => {
      all.front.next("PUT", refuse(500), refuse(500), cutWhileReading)
      await assertDone(all)
    })
  )

  it.effect("reserves again when the reservation of an earlier one expired", () =>
    tried(async (all) => {
      all.front.next("PUT", refuse(400))
      assert.strictEqual((await all.imported(out)).code, 3)
      await all.pass("2 hours")
      await assertDone(all)
    })
  )

  it.effect("sends again what a finalize misses", () =>
    tried(async (all) => {
      all.front.next("PUT", lose)
      await assertDone(all)
    })
  )
})
