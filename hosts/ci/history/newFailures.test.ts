/** `--fail-on new-failures`, against a real host. A failure is never shown as a success. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "../../../core/testing/layer.ts"
import { refuse, startFaultProxy, type FaultProxy } from "../../client/testing/front.ts"
import { createClient, type RegisterTestRun } from "../../client/index.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { temporaryFolder } from "../testing/folders.ts"
import { runCi, type Ran } from "../testing/runCi.ts"

interface Tried {
  readonly front: FaultProxy
  /** Registers a run of the main branch. */
  readonly onMain: (name: string, fields?: Partial<RegisterTestRun>) => Promise<unknown>
  /** Imports flows in the CI run of a pull request, each with how it ended. */
  readonly imports: (flows: Readonly<Record<string, boolean>>, ...args: ReadonlyArray<string>) => Promise<Ran>
  readonly ci: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Promise<Ran>
}

const fileOf = (name: string) => `flows/${name}.yaml`

const reportOf = (flows: Readonly<Record<string, boolean>>) => {
  const cases = Object.entries(flows).map(([name, isPassed]) => {
    const inner = isPassed ? "" : "<failure>No button</failure>"
    return `<testcase id="${name}" name="${name}" file="${fileOf(name)}" time="1">${inner}</testcase>`
  })
  return `<testsuites><testsuite name="Test Suite" device="Pixel 7 - Android 14" tests="${cases.length}">${cases.join("")}</testsuite></testsuites>`
}

const tried = Effect.fnUntraced(function* (run: (tried: Tried) => Promise<void>) {
  const { url } = yield* TestHost
  const { key, owner, repo } = yield* newAccount(["preview_upload", "test_runs"])
  const front = yield* Effect.acquireRelease(
    Effect.promise(() => startFaultProxy(url)),
    (started) => Effect.promise(started.close)
  )
  yield* Effect.promise(async () => {
    const client = createClient({ url, key })
    const bundle = { body: new TextEncoder().encode("run()"), contentType: "text/javascript" }
    const { shareId: previewShareId } = await client.previews.upload({ bundle })
    const env = {
      SLIPWAY_URL: front.url,
      SLIPWAY_KEY: key,
      SLIPWAY_OWNER: owner,
      SLIPWAY_REPO: repo,
      CI: "true",
      GITLAB_CI: "true",
      CI_PIPELINE_ID: "7",
      CI_MERGE_REQUEST_IID: "12",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main"
    }
    const ci: Tried["ci"] = (args, more = {}) => runCi(args, { env: { ...env, ...more } })
    const folder = temporaryFolder()
    const imports: Tried["imports"] = (flows, ...args) => {
      writeFileSync(join(folder, "report.xml"), reportOf(flows))
      return ci(["import", "maestro", "--fail-on", "new-failures", ...args, folder])
    }
    const onMain: Tried["onMain"] = (name, fields = {}) => {
      const common = { owner, repo, previewShareId, kind: "maestro", status: "passed", branch: "main" } as const
      const identity = { name, file: fileOf(name), device: { name: "Pixel 7", platform: "android" } }
      return client.testRuns.register({ ...common, ...identity, source: `gitlab:${name}`, ...fields })
    }
    await run({ front, onMain, imports, ci })
  })
})

const failed = { status: "failed", failureMessage: "No button" }

const comment = ["comment", "--format", "markdown", "--fail-on", "new-failures"]

layer(TestHost.layer(inMemory))("new failures", (it) => {
  it.effect("a failure that the base branch has too exits 0, and the report says where it is known", () =>
    tried(async ({ ci, imports, onMain }) => {
      await onMain("Old", failed)
      const imported = await imports({ Old: false, Fine: true })
      assert.include(imported.err, "Compared with main, 0 failures are new, of 1.")
      const commented = await ci(comment)
      assert.deepStrictEqual([imported.code, commented.code], [0, 0])
      assert.match(commented.out, /^### Tests: ❌ 1 failed \(0 new, 1 known on main\) · ✅ 1 passed/)
      assert.match(commented.out, /<b>Known on main<\/b>: 1<\/summary>\n\n- \[Old\]/)
      assert.strictEqual((await ci([...comment.slice(0, -1), "failed"])).code, 1)
    })
  )

  it.effect("a new one exits 1, and comes first; --base names another branch", () =>
    tried(async ({ ci, imports, onMain }) => {
      await onMain("A")
      for (const name of ["Old", "Older"]) await onMain(name, failed)
      for (const name of ["A", "Old", "Older"])
        await onMain(name, { ...failed, branch: "release-1", source: `gitlab:r${name}` })
      const flows = { A: false, Old: false, Older: false, "Z new": false }
      const imported = await imports(flows)
      assert.include(imported.err, "Compared with main, 2 failures are new, of 4.")
      const commented = await ci(comment)
      assert.deepStrictEqual([imported.code, commented.code], [1, 1])
      assert.include(commented.out, "❌ 4 failed (2 new, 2 known on main)")
      assert.deepStrictEqual(
        [...commented.out.matchAll(/^(?:\*\*(New failures)\*\*|.*<b>(Known on main)<.*|- \[([^\]]+)\].*)$/gm)].map(
          (parts) => parts.slice(1).join("")
        ),
        ["New failures", "A", "Z new", "Known on main", "Old", "Older"]
      )
      assert.strictEqual((await imports({ A: false }, "--base", "release-1")).code, 0)
      assert.strictEqual((await imports({ "Z new": false }, "--base", "release-1")).code, 1)
      assert.strictEqual((await ci(comment, { SLIPWAY_BASE: "nowhere" })).code, 1)
      assert.include((await ci(comment, { SLIPWAY_BASE: "release-1" })).out, "<b>Known on release-1</b>: ")
    })
  )

  it.effect("a new failure of a test that is flaky on the base branch is marked, and is new all the same", () =>
    tried(async ({ ci, imports, onMain }) => {
      const attempts = [{ status: "failed" }, { status: "passed" }] as const
      for (const run of [1, 2, 3]) await onMain("Shaky", { attempts, source: `gitlab:s${run}` })
      for (const name of ["Old", "Older", "Oldest"]) await onMain(name, failed)
      await onMain("A")
      const imported = await imports({ A: false, Old: false, Older: false, Oldest: false, Shaky: false })
      assert.strictEqual(imported.code, 1)
      assert.include(imported.err, "Compared with main, 2 failures are new, of 5. 1 of the new ones is flaky on main.")
      const { code, out } = await ci([...comment, "--format", "errors"])
      assert.strictEqual(code, 1)
      assert.include(out, "❌ 5 failed (1 new, 1 new, but flaky, 3 known on main)")
      assert.match(out, /\*\*New failures\*\*\n\n- \[A\].*\n.*\n\n\*\*New, but flaky on main\*\*\n\n- \[Shaky\]/)
      assert.match(out, /- \[Shaky\].* · flaky on main \\\(3 of the last 3\\\)/)
      assert.match(out, /^::error .*title=Shaky::No button%0Aflaky on main \(3 of the last 3\)%0A/m)
      assert.match(out, /^::warning .*title=Old::/m)
    })
  )

  it.effect("without a failure nothing is compared, and it exits 0", () =>
    tried(async ({ ci, front, imports }) => {
      assert.strictEqual((await imports({ Fine: true })).code, 0)
      assert.strictEqual((await ci(comment)).code, 0)
      // Whether the CI run is complete is asked before and after its runs.
      assert.lengthOf(
        front.asked.filter(({ call }) => call.startsWith("GET /api/v1/sources/")),
        2
      )
    })
  )

  it.effect("an answer that doesn't come or is incomplete is no success", () =>
    tried(async ({ ci, front, imports, onMain }) => {
      await onMain("Old", failed)
      await imports({ Old: false })
      // The imports, the runs, and the imports again.
      const before = [front.pass, front.pass, front.pass]
      const answers = async (sources: Parameters<FaultProxy["next"]>[1], ...args: ReadonlyArray<string>) => {
        front.next("GET", ...before, sources)
        return ci([...comment, ...args])
      }
      const summary = (fields: object) =>
        refuse(
          200,
          { "content-type": "application/json" },
          JSON.stringify({ source: "gitlab:7", totals: {}, base: "main", new: [], known: [], flaky: [], ...fields })
        )
      const old = await answers(refuse(404))
      assert.strictEqual(old.code, 3)
      assert.include(old.err, "Which failures are new isn't known")
      // The report itself doesn't depend on it.
      assert.include(old.out, "### Tests: ❌ 1 failed\n")
      const cut = await answers(summary({ known: ["a"], complete: false }))
      assert.strictEqual(cut.code, 3)
      assert.include(cut.err, "doesn't have every result of this CI run")
      // Fewer failures than the report has.
      assert.strictEqual((await answers(summary({ complete: true }))).code, 1)
      front.next("GET", ...before, refuse(404))
      const failing = await ci([...comment.slice(0, -1), "failed"])
      assert.strictEqual(failing.code, 1)
      assert.include(failing.err, "Warning: Which failures are new")
    })
  )

  it.effect("import needs a source to ask for, before it sends anything", () =>
    tried(async ({ ci, front }) => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, "report.xml"), reportOf({ Old: false }))
      const { code, err } = await ci(["import", "maestro", "--fail-on", "new-failures", folder], { CI_PIPELINE_ID: "" })
      assert.strictEqual(code, 2)
      assert.include(err, "--source or SLIPWAY_SOURCE")
      assert.deepStrictEqual(front.asked, [])
    })
  )
})
