/** A CI run of which something is missing is a success nowhere: imports that are killed, refused, or have yet to come. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "../../../core/testing/layer.ts"
import { refuse, startFaultProxy, type Behaviour } from "../../client/testing/front.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { tried, type Tried } from "../testing/commentRuns.ts"
import { temporaryFolder } from "../testing/folders.ts"

/** A folder with a report of Maestro, all of whose flows passed. */
const passing = (...names: ReadonlyArray<string>): string => {
  const folder = temporaryFolder()
  const cases = names.map((name) => `<testcase id="${name}" name="${name}" file="flows/${name}.yaml" time="1"/>`)
  const suite = `<testsuite name="Test Suite" device="Pixel 7 - Android 14" tests="${names.length}">${cases.join("")}</testsuite>`
  writeFileSync(join(folder, "report.xml"), `<testsuites>${suite}</testsuites>`)
  return folder
}

const commit = { SLIPWAY_COMMIT: "a".repeat(40) }

/** The conclusion of the check, and whether each `--fail-on` exits with 1 if it is no success and with 0 otherwise. */
const judged = async ({ github, program }: Tried, env: Readonly<Record<string, string>> = {}) => {
  const written = await program(["comment", "--format", "check"], { ...commit, ...env })
  assert.strictEqual(written.code, 0, written.err)
  const { body } = Object(github.results.at(-1))
  for (const failOn of ["failed", "flaky", "new-failures"]) {
    const { code } = await program(["comment", "--format", "markdown", "--fail-on", failOn], env)
    assert.strictEqual(code, body.conclusion === "success" ? 0 : 1, failOn)
  }
  return { conclusion: body.conclusion, title: body.output.title, summary: body.output.summary, err: written.err }
}

const front = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => startFaultProxy(url)),
    (started) => Effect.promise(started.close)
  )

layer(TestHost.layer(inMemory))("a CI run that is not complete", (it) => {
  it.effect(
    "an import that is killed at any of its requests is never a success, and is one when it runs again",
    function* () {
      const { url } = yield* TestHost
      const between = yield* front(url)
      yield* tried(async (all) => {
        const folder = passing("A", "B", "C", "D", "E")
        const imported = async (run: number, at: number) => {
          const killed = new AbortController()
          let requests = 0
          const behaviour: Behaviour = (request, response) => {
            requests += 1
            if (requests < at) between.pass(request, response)
            if (requests === at) killed.abort()
          }
          for (const method of ["GET", "POST", "PUT"]) {
            between.next(method, ...Array.from({ length: 100 }, () => behaviour))
          }
          const env = { SLIPWAY_URL: between.url, GITHUB_RUN_ID: String(run) }
          const ran = await all.program(["import", "maestro", folder], env, "/", killed.signal).catch(() => undefined)
          return { ran, requests }
        }
        const whole = await imported(100, Infinity)
        assert.strictEqual(whole.ran?.code, 0)
        assert.deepInclude(await judged(all), { conclusion: "success", title: "✅ 5 passed" })
        // The announcement, the list of known runs, three requests for each run, the bytes of a page, and the end.
        assert.strictEqual(whole.requests, 19)
        for (let at = 1; at <= whole.requests; at += 1) {
          const env = { GITHUB_RUN_ID: String(100 + at) }
          const { ran } = await imported(100 + at, at)
          assert.notStrictEqual(ran?.code, 0, `killed at ${at}`)
          const { conclusion, summary, title } = await judged(all, env)
          assert.strictEqual(conclusion, "failure", `killed at ${at}`)
          if (at === 1) continue
          assert.match(title, /^⚠️ incomplete/, `killed at ${at}`)
          assert.include(summary, "announced 5 runs and has not finished")
        }
        const again = { GITHUB_RUN_ID: "110" }
        assert.strictEqual((await all.program(["import", "maestro", folder], again)).code, 0)
        assert.deepInclude(await judged(all, again), { conclusion: "success", title: "✅ 5 passed" })
      })
    }
  )

  it.effect("an import that the quota of the account stops leaves the CI run incomplete", function* () {
    const { admin } = yield* TestHost
    const setQuota = yield* Effect.map(
      Effect.context<never>(),
      (context) => (account: string, runsPerMonth: number) =>
        Effect.runPromiseWith(context)(admin.setQuotas({ account, quotas: { runsPerMonth } }))
    )
    yield* tried(async (all) => {
      const folder = passing("A", "B", "C", "D", "E")
      const { account } = await all.client.usage()
      await setQuota(account.name, 3)
      const refused = await all.program(["import", "maestro", folder, "--fail-on", "failed"])
      assert.strictEqual(refused.code, 3)
      const { conclusion, err, title } = await judged(all)
      assert.deepStrictEqual([conclusion, title], ["failure", "⚠️ incomplete · ✅ 3 passed"])
      assert.include(err, "This CI run is not complete:\n  An import announced 5 runs and has not finished.")
      await setQuota(account.name, 10)
      assert.strictEqual((await all.program(["import", "maestro", folder, "--fail-on", "failed"])).code, 0)
      assert.strictEqual((await judged(all)).conclusion, "success")
    })
  })

  it.effect("with --expect-imports it is incomplete until so many jobs have imported", () =>
    tried(async (all) => {
      const expect = { SLIPWAY_EXPECT_IMPORTS: "2" }
      const job = (name: string, ...args: ReadonlyArray<string>) =>
        all.program(["import", "maestro", "--fail-on", "failed", ...args, passing(name)], { SLIPWAY_JOB: name })
      assert.deepInclude(await judged(all, expect), {
        conclusion: "failure",
        title: "⚠️ incomplete · no runs were registered"
      })
      const first = await job("A", "--expect-imports", "2")
      // What other jobs have yet to import is no failure of this one.
      assert.strictEqual(first.code, 0)
      assert.include(first.err, "1 of 2 expected imports is complete.")
      const half = await judged(all)
      assert.deepInclude(half, { conclusion: "failure", title: "⚠️ incomplete · ✅ 1 passed" })
      assert.include(half.summary, "1 of 2 expected imports is complete")
      assert.strictEqual((await job("B")).code, 0)
      assert.strictEqual((await judged(all)).conclusion, "success")
      assert.strictEqual((await judged(all, { SLIPWAY_EXPECT_IMPORTS: "3" })).conclusion, "failure")
      for (const text of ["0", "x", "1.5", "301"])
        assert.strictEqual((await job("C", "--expect-imports", text)).code, 2)
    })
  )

  it.effect("--fail-on of an import counts what its own job has left open", () =>
    tried(async (all) => {
      const { client, owner, repo } = all
      const open = { owner, repo, id: "another job", job: "e2e", expectedRuns: 1 }
      await client.sources.announceImport("github:100", open)
      const imported = (job: string) =>
        all.program(["import", "maestro", "--fail-on", "failed", passing("A")], { SLIPWAY_JOB: job })
      const other = await imported("e2e")
      assert.strictEqual(other.code, 0)
      assert.include(other.err, "The import of e2e announced 1 run and has not finished.")
      const [mine] = (await client.sources.read("github:100", { org: owner, repo })).imports?.missing ?? []
      assert.strictEqual(mine?.id, "another job")

      const killed = new AbortController()
      const between = await startFaultProxy(all.url)
      between.next("GET", () => killed.abort())
      const env = { SLIPWAY_JOB: "unit", SLIPWAY_URL: between.url }
      await all.program(["import", "maestro", passing("B")], env, "/", killed.signal).catch(() => {})
      await between.close()
      assert.strictEqual((await imported("unit")).code, 1)
    })
  )

  it.effect("a host that is too old to know imports as before, with a warning, and is never complete", function* () {
    const { url } = yield* TestHost
    const between = yield* front(url)
    yield* tried(async (all) => {
      const env = { SLIPWAY_URL: between.url }
      between.next("POST", refuse(404))
      const { code, err } = await all.program(["import", "maestro", "--fail-on", "failed", passing("A")], env)
      assert.strictEqual(code, 0)
      assert.lengthOf(err.match(/too old to know/g) ?? [], 1)
      assert.strictEqual((await judged(all)).conclusion, "success")
      assert.strictEqual((await judged(all, { SLIPWAY_EXPECT_IMPORTS: "1" })).conclusion, "failure")
    })
  })
})
