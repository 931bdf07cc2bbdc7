/** Whole imports by the program into a host on embedded engines, in the process of the test. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { layer } from "../../../core/testing/layer.ts"
import { type Client, createClient, type TestRun } from "../../client/index.ts"
import { cutWhileReading, type FaultProxy, lose, refuse, startFaultProxy } from "../../client/testing/front.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { type Ran, runCi } from "../testing/runCi.ts"
import { hosted, hostedRecordings, lastReport, listed, out, page, recording } from "./testing/hosted.ts"
import { detoxFixtures, folderOf, maestroFixtures } from "./testing/reading.ts"

describe("import maestro", () => {
  it("registers each flow once, however often it is run", async () => {
    const { client, env } = await hosted()
    const first = await runCi(["import", "maestro", out], { env })
    assert.strictEqual(first.code, 0, first.err)
    const runs = await listed(client)
    assert.deepStrictEqual(runs.map(({ device, name, status }) => `${name} on ${device?.name}: ${status}`).toSorted(), [
      "Browse on Pixel 7: passed",
      "Browse on Pixel 8: passed",
      "Never ran on Pixel 7: failed",
      "Pay on Pixel 7: failed",
      "Weigh on Pixel 7: passed"
    ])
    const again = await runCi(["import", "maestro", out], { env })
    assert.strictEqual(again.code, 0, again.err)
    assert.include(again.err, "The host had 4 of them.")
    assert.deepStrictEqual(await listed(client), runs)
  })

  it("registers nothing twice even if the start of the runs is unknown", async () => {
    const { client, env } = await hosted()
    const report = join(out, "report.xml")
    for (let time = 0; time < 2; time += 1) {
      const { code, err } = await runCi(["import", "maestro", report], { env })
      assert.strictEqual(code, 0, err)
    }
    assert.lengthOf(await listed(client), 5)
  })

  it("registers the equal results of two jobs, and of two shards of a job, each by itself, and each once", async () => {
    const { client, env } = await hosted()
    const one = '<testcase name="Sail" file="flows/sail.yaml" time="1"/>'
    const report = `<testsuites><testsuite device="A">${one}</testsuite></testsuites>`
    const folder = folderOf({ "shard-1/a.xml": report, "shard-2/a.xml": report })
    const imports = async (job: Readonly<Record<string, string>>, shard: string) => {
      const { code, err } = await runCi(["import", "maestro", join(folder, shard)], { env: { ...env, ...job } })
      assert.strictEqual(code, 0, err)
    }
    for (const time of [1, 2]) {
      await imports({ GITHUB_JOB: "e2e", RUNNER_TRACKING_ID: "github_1" }, "shard-1")
      await imports({ GITHUB_JOB: "e2e", RUNNER_TRACKING_ID: "github_1" }, "shard-2")
      await imports({ GITHUB_JOB: "e2e", RUNNER_TRACKING_ID: "github_2" }, "shard-1")
      await imports({ CI_JOB_NAME: "e2e 2/2" }, "shard-1")
      assert.lengthOf(await listed(client), 4, `time ${time}`)
    }
  })

  it("warns that jobs of a matrix share a name, where both ran the same tests", async () => {
    const { env } = await hosted()
    const report = (time: number) =>
      `<testsuites><testsuite device="A"><testcase name="Sail" file="flows/sail.yaml" time="${time}"/></testsuite></testsuites>`
    const folder = folderOf({ "1/a.xml": report(1), "2/a.xml": report(2) })
    const warns = async (shard: string, job: Readonly<Record<string, string>>) => {
      const { code, err } = await runCi(["import", "maestro", join(folder, shard)], {
        env: { ...env, GITHUB_ACTIONS: "true", GITHUB_RUN_ID: "1", GITHUB_JOB: "e2e", ...job }
      })
      assert.strictEqual(code, 0, err)
      return err.includes("Warning: another job or import called e2e registered other runs of the same tests.")
    }
    assert.isFalse(await warns("1", { RUNNER_TRACKING_ID: "a" }))
    assert.isFalse(await warns("1", { RUNNER_TRACKING_ID: "a" }))
    assert.isTrue(await warns("2", { RUNNER_TRACKING_ID: "b" }))
    assert.isFalse(await warns("2", { RUNNER_TRACKING_ID: "b", SLIPWAY_JOB: "e2e (2)" }))
  })

  it("registers a flow of two devices as two, where nothing else distinguishes them", async () => {
    const { client, env } = await hosted()
    const one = '<testcase name="Sail" time="1"/>'
    const folder = folderOf({
      "a.xml": `<testsuites><testsuite device="A">${one}</testsuite><testsuite device="B">${one}</testsuite></testsuites>`
    })
    assert.strictEqual((await runCi(["import", "maestro", folder], { env })).code, 0)
    assert.lengthOf(await listed(client), 2)
  })

  it("registers nothing of another tool's report, and names the command for it", async () => {
    const { client, env } = await hosted()
    for (const [tool, report, other] of [
      ["maestro", join(import.meta.dirname, "detox/fixtures/junit.xml"), "slipway-ci import detox"],
      ["detox", join(out, "report.xml"), "slipway-ci import maestro"]
    ] as const) {
      const { code, err } = await runCi(["import", tool, report], { env })
      assert.strictEqual(code, 2, err)
      assert.include(err, other)
    }
    assert.deepStrictEqual(await listed(client), [])
  })

  it("sends the host all that is known of a run", async () => {
    const { client, env } = await hosted()
    await runCi(["import", "maestro", out], { env })
    const run = (await listed(client)).find(({ name }) => name === "Pay")
    assert.notProperty(run, "attempts")
    assert.deepInclude(run, {
      branch: "main",
      commitSha: "a".repeat(40),
      durationMs: 9100,
      failedStepIndex: 8,
      failureMessage: 'Assertion is false: "Paid" is visible after •••',
      file: "flows/pay.yaml",
      pr: 7,
      startedAt: "2026-11-18T11:06:40.000Z",
      stepCount: 10,
      tags: ["smoke", "checkout"]
    })
  })

  it("shows the steps on the run's page, the failing one open", async () => {
    const { client, env, key, url } = await hosted()
    await runCi(["import", "maestro", out], { env })
    const { traceUrl } = (await listed(client)).find(({ name }) => name === "Pay")!
    const { html } = await page(traceUrl, url, key)
    assert.include(html, "assertCondition")
    assert.include(html, "Assertion is false")
    assert.include(html, "startRecording/paying.mp4")
    assert.notInclude(html, "marked-secret")
  })

  it("sends no secret in any byte", async () => {
    const { client, env, key, url } = await hosted()
    await runCi(["import", "maestro", out], { env })
    const recordings = await hostedRecordings(client, key, url)
    assert.include(recordings.map(({ text }) => text).join(), "Inputting text: •••")
    for (const { name, text } of recordings) assert.notMatch(`${name} ${text}`, /marked[-_]secret/)
  })

  it("says where each recording lies on the clock of its run", async () => {
    const { client, env } = await hosted()
    await runCi(["import", "maestro", out], { env })
    const { previewShareId } = (await listed(client)).find(({ name }) => name === "Pay")!
    const video = await recording(client, previewShareId, "startRecording/paying.mp4")
    assert.deepStrictEqual([video?.kind, video?.startedAtMs, video?.durationMs], ["video", 2850, 6050])
    const events = await recording(client, previewShareId, "events.jsonl")
    assert.deepStrictEqual([events?.kind, events?.startedAtMs], ["events", 0])
  })

  it("sends nothing with --dry-run, and lists what it would send", async () => {
    const { client, env } = await hosted()
    const { code, err, out: output } = await runCi(["import", "maestro", "--dry-run", out], { env })
    assert.strictEqual(code, 0)
    assert.include(output, "✗ Pay 9.1 s")
    assert.include(output, "✓ Weigh 1.5 s (flaky: passed at try 2)")
    assert.include(err, "5 runs: 3 passed (1 flaky), 2 failed (1 interrupted). Nothing was sent.")
    assert.deepStrictEqual(await listed(client), [])
  })

  it("needs no settings for --dry-run", async () => {
    assert.strictEqual((await runCi(["import", "maestro", "--dry-run", out])).code, 0)
  })

  it("prints one object with --json", async () => {
    const { env } = await hosted()
    const { out: output } = await runCi(["import", "maestro", "--json", out], { env })
    const { masked, notes, problems, runs } = JSON.parse(output)
    assert.deepStrictEqual([problems, notes], [[], []])
    assert.strictEqual(masked.values, 2)
    assert.deepStrictEqual(
      runs.map((run: { readonly name: string; readonly status: string }) => [run.name, run.status]),
      [
        ["Pay", "failed"],
        ["Browse", "passed"],
        ["Weigh", "passed"],
        ["Never ran", "CANCELED"],
        ["Browse", "passed"]
      ]
    )
    assert.match(runs[0].traceUrl, /^http/)
  })

  it.for([
    ["failed", "Browse", 0],
    ["failed", "Weigh*", 0],
    ["flaky", "Weigh*", 1],
    ["failed", "Pay", 1]
  ] as const)("with --fail-on %s and %s exits with %d", async ([failOn, flows, expected]) => {
    const retried = ["report_first.xml", "2026-11-18_110600/Weigh", "report_last.xml", "2026-11-18_110640/Weigh"]
    const paths = flows === "Weigh*" ? retried : [`2026-11-18_110640/${flows}`]
    const folder = folderOf({ "report_last.xml": lastReport })
    cpSync(out, folder, { recursive: true })
    const args = ["import", "maestro", "--dry-run", "--fail-on", failOn, ...paths.map((path) => join(folder, path))]
    assert.strictEqual((await runCi(args)).code, expected)
  })

  it("with --strict exits with 2 where something wasn't imported, and without it with 0", async () => {
    const report = readFileSync(join(out, "report.xml"), "utf8")
    const folder = folderOf({ "report.xml": report.slice(0, 700) })
    const lax = await runCi(["import", "maestro", "--dry-run", folder])
    assert.strictEqual(lax.code, 0)
    assert.match(lax.err, /report\.xml:\d+: It is broken here/)
    assert.strictEqual((await runCi(["import", "maestro", "--dry-run", "--strict", folder])).code, 2)
  })

  it("with nothing to import exits with 2 and says where it looked and where Maestro writes", async () => {
    const folder = folderOf({ "readme.txt": "no results" })
    const { code, err } = await runCi(["import", "maestro", folder])
    assert.strictEqual(code, 2)
    assert.include(err, `no results of Maestro in ${folder}.`)
    assert.include(err, "~/.maestro/tests")
  })

  it("hides no ordinary word that --env gives, and says of a secret that --no-mask shows it", async () => {
    const step = { tapOnElement: { selector: { textRegex: "Home" } } }
    const variables = { defineVariablesCommand: { env: { TAB: "Home", API_KEY: "opensesame", CITY: "Bergen" } } }
    const folder = folderOf({
      "Sail/commands.json": JSON.stringify([
        { command: variables, metadata: { status: "COMPLETED", timestamp: 1 } },
        {
          command: step,
          metadata: { status: "FAILED", timestamp: 2, error: { message: "No Home in Bergen with opensesame" } }
        }
      ])
    })
    const message = async (...flags: ReadonlyArray<string>) => {
      const { out: output } = await runCi(["import", "maestro", "--dry-run", "--json", ...flags, folder])
      return JSON.parse(output).runs[0].failureMessage
    }
    assert.strictEqual(await message(), "No Home in Bergen with •••")
    assert.strictEqual(await message("--mask", "CITY"), "No Home in ••• with •••")
    assert.strictEqual(await message("--no-mask", "API_KEY"), "No Home in Bergen with opensesame")
  })

  it.for([
    ["empty commands", { "Pay/commands.json": "" }],
    ["commands that were cut", { "Pay/commands.json": '[{"command":{"inputTextCommand":{"te' }],
    ["no commands", {}]
  ] as const)("sends no log of a flow with %s, because its typed text is unknown", async ([, commands]) => {
    const { client, env, key, url } = await hosted()
    const log = "10:00:00.000 [ INFO] maestro: Inputting text: marked-secret-typed\n"
    const folder = folderOf({ ...commands, "Pay/logs/maestro.log": log, "Pay/screenshots/step-001-tap.png": "PNG" })
    const { code, err } = await runCi(["import", "maestro", folder], { env })
    assert.strictEqual(code, 0, err)
    assert.match(
      err,
      /logs\/maestro\.log: It is not sent: the commands that show what to hide in it are missing or truncated/
    )
    const recordings = await hostedRecordings(client, key, url)
    assert.deepStrictEqual(
      recordings.map(({ name }) => name),
      ["step-001-tap.png"]
    )
  })

  it("hides the value of a variable that --mask names", async () => {
    const folder = folderOf({
      "a.xml":
        '<testsuites><testsuite device="A"><testcase name="Sail" time="1"><failure>token from-outside</failure></testcase></testsuite></testsuites>'
    })
    const args = ["import", "maestro", "--dry-run", "--json", "--mask", "TOKEN", folder]
    const { out: output } = await runCi(args, { env: { TOKEN: "from-outside" } })
    assert.strictEqual(JSON.parse(output).runs[0].failureMessage, "token •••")
  })

  it.for([
    [["import", "maestro"], "needs the files and folders"],
    [["import", "maestro", "/not/there"], "There is no /not/there"],
    [["import", "maestro", "--fail-on", "red", out], "--fail-on must be failed or flaky or new-failures"],
    [["import", "maestro", "--fail-on", "new-failures", "--dry-run", out], "--dry-run doesn't"],
    [["import", "maestro", "--platform", "tizen", out], "--platform must be ios or android"],
    [["import", "maestro", out], "SLIPWAY_OWNER"],
    [["import", "detox"], "needs the files and folders"],
    [["import"], "import maestro"]
  ] as const)("refuses %j", async ([args, why]) => {
    const { code, err, out: printed } = await runCi([...args])
    assert.include(`${err}${printed}`, why)
    assert.strictEqual(code, args.length === 1 ? 0 : 2)
  })
})

describe("import detox", () => {
  const artifacts = join(detoxFixtures, "artifacts")
  const results = join(detoxFixtures, "results.json")

  it("registers each test once, with every attempt", async () => {
    const { client, env } = await hosted()
    for (let time = 0; time < 2; time += 1) {
      const { code, err } = await runCi(["import", "detox", results, "--artifacts", artifacts], { env })
      assert.strictEqual(code, 0, err)
    }
    const runs = await listed(client)
    assert.lengthOf(runs, 9)
    const till = runs.find(({ name }) => name === "Cart never finds the till")
    assert.deepStrictEqual(
      till?.attempts?.map(({ status }) => status),
      ["failed", "failed", "failed"]
    )
    assert.strictEqual(till?.file, "e2e/cart.test.js")
  })

  it("sends no secret in any byte, and hides them in the names of files", async () => {
    const { client, env, key, url } = await hosted()
    await runCi(["import", "detox", results, "--artifacts", artifacts], { env })
    for (const run of await listed(client)) assert.notInclude(JSON.stringify(run), "typed-secret")
    const recordings = await hostedRecordings(client, key, url)
    for (const { name, text } of recordings) assert.notMatch(`${name} ${text}`, /typed-secret|functionCode/)
    assert.include(
      recordings.map(({ name }) => name),
      "attempt-1/after •••.png"
    )
  })

  it("shows the attempts and the failing step on the run's page", async () => {
    const { client, env, key, url } = await hosted()
    await runCi(["import", "detox", results, "--artifacts", artifacts], { env })
    const { traceUrl } = (await listed(client)).find(({ name }) => name === "Login types a password")!
    const { html } = await page(traceUrl, url, key)
    assert.include(html, "Attempt 2")
    assert.include(html, "missing-home")
    assert.include(html, "attempt-2/testFnFailure.png")
  })

  it("with nothing to import exits with 2 and says where Detox and Jest write", async () => {
    const { code, err } = await runCi(["import", "detox", folderOf({ "package.json": "{}" })])
    assert.strictEqual(code, 2)
    assert.include(err, "./artifacts")
    assert.include(err, "results.json")
  })
})

// Imports that a host refuses, or that end in the middle: run again, they complete, and nothing is stored twice.

const recordedOut = join(maestroFixtures, "out")

/** Five runs, none of which has a recording. */
const report = join(recordedOut, "report.xml")

interface Tried {
  readonly front: FaultProxy
  readonly runs: () => Promise<ReadonlyArray<TestRun>>
  /** Imports a path through the front. */
  readonly imported: (path: string) => Promise<Ran>
  /** Lets time pass for the host. */
  readonly pass: (time: "2 hours") => Promise<void>
}

const tried = Effect.fnUntraced(function* (run: (tried: Tried) => Promise<void>) {
  const { url } = yield* TestHost
  const { key, owner, repo } = yield* newAccount(["preview_upload", "test_runs"])
  const front = yield* Effect.acquireRelease(
    Effect.promise(() => startFaultProxy(url)),
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
  const { code, err } = await imported(recordedOut)
  assert.strictEqual(code, 0, err)
  const registered = await runs()
  assert.lengthOf(registered, 5)
  assert.strictEqual(new Set(registered.map(({ previewShareId }) => previewShareId)).size, 5)
}

const count = ({ asked }: FaultProxy, method: string) => asked.filter(({ call }) => call.startsWith(method)).length

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
      assert.strictEqual((await imported(recordedOut)).code, 0)
      const sent = count(front, "PUT")
      assert.strictEqual((await imported(recordedOut)).code, 0)
      assert.strictEqual(count(front, "PUT"), sent)
    })
  )

  it.effect("whose PUT is refused does the rest when it is run again", () =>
    tried(async (all) => {
      all.front.next("PUT", refuse(400))
      assert.strictEqual((await all.imported(recordedOut)).code, 3)
      assert.lengthOf(await all.runs(), 0)
      await assertDone(all)
    })
  )

  it.effect("whose registration is refused registers the preview that is there already", () =>
    tried(async (all) => {
      const { front } = all
      front.next("POST", front.pass, front.pass, refuse(400))
      assert.strictEqual((await all.imported(recordedOut)).code, 3)
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
      assert.strictEqual((await all.imported(recordedOut)).code, 3)
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
