/** The result of jobs and commits beside the comment on a real host: what is red, what only warns, and messages for chats. */
import { layer } from "../../../core/testing/layer.ts"
import { failed, tried } from "../testing/commentRuns.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { temporaryFolder } from "../testing/folders.ts"
import type { Refusal } from "../testing/commentsEmulator.ts"

layer(TestHost.layer(inMemory))("comment", (it) => {
  it.effect("a failure in quarantine is listed as such, and left out by the check and by --fail-on", function* () {
    const { admin, call } = yield* TestHost
    yield* tried(async ({ github, owner, program, register, repo }) => {
      const { name: account } = (await Effect.runPromise(admin.listAccounts())).at(-1) ?? assert.fail("an account")
      const { key } = await Effect.runPromise(admin.createKey({ account, name: "q", scopes: ["quarantine"] }))
      const body = { kind: "maestro", name: "Tide", file: failed.file, reason: "The moon" }
      const at = `/api/v1/quarantines?org=${owner}&repo=${repo}`
      const added = await Effect.runPromise(call("POST", at, { key, body }))
      assert.strictEqual(added.status, 201, added.text)
      await register("Tide", failed)
      const env = { SLIPWAY_COMMIT: "a".repeat(40) }
      for (const failOn of ["failed", "flaky", "new-failures"]) {
        const args = ["comment", "--format", "check", "--format", "markdown", "--fail-on", failOn]
        const { code, err, out } = await program(args, env)
        assert.strictEqual(code, 0, err)
        assert.match(out, /### Tests: 🔕 1 quarantined\n[^]*Quarantined<[^]*Tide/)
        assert.notMatch(out, /passed|failed</)
        const { conclusion, output } = Object(github.results.at(-1)).body
        assert.deepStrictEqual([conclusion, output.title], ["success", "🔕 1 quarantined"])
      }
      await register("Gate", failed)
      assert.strictEqual((await program(["comment", "--format", "markdown", "--fail-on", "failed"], env)).code, 1)
    })
  })

  it.effect("a job that is run twice, first red, then green, is green, and its first attempt stays visible", () =>
    tried(async ({ github, key, owner, program, repo, url }) => {
      const folder = temporaryFolder()
      const job = async (attempt: string, pay: string) => {
        const report = join(folder, `${attempt}.xml`)
        const flow = (name: string, inner: string) =>
          `<testcase id="${name}" name="${name}" file="flows/${name}.yaml" time="1">${inner}</testcase>`
        const cart = attempt === "1" ? flow("Cart", "") : ""
        writeFileSync(
          report,
          `<testsuites><testsuite name="Test Suite" device="Pixel 7 - Android 14" tests="${cart === "" ? 1 : 2}">${flow("Pay", pay)}${cart}</testsuite></testsuites>`
        )
        const env = { GITHUB_RUN_ATTEMPT: attempt }
        const imported = await program(["import", "maestro", "--fail-on", "failed", report], env)
        const commented = await program(["comment", "--format", "comment", "--fail-on", "failed"], env)
        const strictly = await program(["comment", "--format", "markdown", "--fail-on", "flaky"], env)
        assert.strictEqual(commented.err, "The comment is written.")
        assert.strictEqual(strictly.code, commented.code)
        return [imported.code, commented.code]
      }
      assert.deepStrictEqual(await job("1", "<failure>No button</failure>"), [1, 1])
      const [comment] = github.comments
      assert.match(comment?.body ?? "", /### Tests: ❌ 1 failed · ✅ 1 passed/)
      const [, first = ""] = /\[Pay\]\(([^)]+)\)/.exec(comment?.body ?? "") ?? []

      // Failed jobs are run again: of the two tests, one.
      assert.deepStrictEqual(await job("2", ""), [0, 0])
      assert.lengthOf(github.comments, 1)
      const [, second = ""] = /\[Pay\]\(([^)]+)\)/.exec(comment?.body ?? "") ?? []
      assert.notStrictEqual(second, first)
      const source = `${url}/sources?${new URLSearchParams({ owner, repo, source: "github:100" })}`
      assert.strictEqual(
        comment?.body.slice(comment.body.indexOf("\n\n") + 2),
        [
          "### Tests: ✅ 2 passed",
          "",
          "Android · 2 s",
          "",
          "<details><summary><b>Passed when run again</b>: 1</summary>",
          "",
          `- [Pay](${second}) · Pixel 7 · attempt 2 · [attempt 1: failed](${first})`,
          "",
          "</details>",
          "",
          `[All 2 runs](${source})`
        ].join("\n")
      )

      const signedIn = await fetch(`${url}/sign-in`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ key, to: "/" })
      })
      const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
      const html = await (await fetch(source, { headers: { cookie } })).text()
      for (const shown of [">0 failed<", ">1 flaky<", ">1 passed<", ">attempt 1: failed</a>"])
        assert.include(html, shown)
      assert.strictEqual((await fetch(first, { headers: { cookie } })).status, 200)
    })
  )

  const flowReport = (inner: string) =>
    `<testsuites><testsuite name="Test Suite" device="emulator-5554" tests="1"><testcase id="Cart" name="Cart" file="flows/cart.yaml" time="1">${inner}</testcase></testsuite></testsuites>`
  const red = "<failure>No button</failure>"

  it.effect("a job of a matrix that passes again hides no failure of another, with names of their own or one", () =>
    tried(async ({ ci, program }) => {
      const imported = async (attempt: number, inner: string, job: string, run: string, seconds: number) => {
        const file = join(temporaryFolder(), "report.xml")
        writeFileSync(file, flowReport(inner).replace('tests="1"', `tests="1" timestamp="2026-11-20T10:00:${seconds}"`))
        const env = { GITHUB_JOB: "e2e", SLIPWAY_JOB: job, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: String(attempt) }
        assert.strictEqual((await program(["import", "maestro", file], env)).code, 0)
        const { code, out } = await ci(["--format", "markdown", "--fail-on", "failed"], env)
        return [code, out.split("\n")[0]]
      }
      // The third job has the same results as the first, to the second: it is not taken for that.
      const both = "### Tests: ❌ 2 failed · ✅ 1 passed"
      await imported(1, red, "e2e (34)", "100", 10)
      await imported(1, "", "e2e (35)", "100", 20)
      assert.deepStrictEqual(await imported(1, red, "e2e (36)", "100", 10), [1, both])
      assert.deepStrictEqual(await imported(2, "", "e2e (35)", "100", 30), [1, both])
      assert.deepStrictEqual(await imported(2, "", "e2e (36)", "100", 31), [1, "### Tests: ❌ 1 failed · ✅ 2 passed"])
      assert.deepStrictEqual(await imported(3, "", "e2e (34)", "100", 32), [0, "### Tests: ✅ 3 passed"])
      // Nothing tells which of them ran again.
      const one = "### Tests: ❌ 1 failed · ✅ 1 passed"
      await imported(1, red, "", "200", 10)
      assert.deepStrictEqual(await imported(1, "", "", "200", 20), [1, one])
      assert.deepStrictEqual(await imported(2, "", "", "200", 30), [1, one])
    })
  )

  it.effect("two apps with one flow have comments, checks and failures of their own", () =>
    tried(async ({ ci, client, github, owner, program, repo }) => {
      const imported = async (app: string, inner: string, branch: string, ...flags: ReadonlyArray<string>) => {
        const file = join(temporaryFolder(), "report.xml")
        writeFileSync(file, flowReport(inner))
        const env = { SLIPWAY_APP: app, SLIPWAY_BRANCH: branch, GITHUB_RUN_ID: branch === "main" ? "1" : "100" }
        return program(["import", "maestro", ...flags, file], env)
      }
      await imported("rider", red, "main")
      await imported("driver", "", "main")
      const newOnly = ["--fail-on", "new-failures", "--base", "main"]
      assert.strictEqual((await imported("rider", red, "feature", ...newOnly)).code, 0)
      const added = await imported("driver", red, "feature", ...newOnly)
      assert.deepInclude(added, { code: 1 })
      assert.include(added.err, "Compared with main, 1 failure is new, of 1.")

      const markdown = async (...flags: ReadonlyArray<string>) => {
        const { code, out } = await ci(["--format", "markdown", ...newOnly, ...flags])
        return [
          code,
          out.split("\n")[0],
          out
            .split("\n")
            .find((line) => line.startsWith("- [Cart]"))
            ?.replace(/\(.*?\)/, "")
        ]
      }
      assert.deepStrictEqual(await markdown("--app", "rider"), [
        0,
        "### Tests of rider: ❌ 1 failed (0 new, 1 known on main)",
        "- [Cart] · emulator\\-5554  "
      ])
      assert.deepStrictEqual(await markdown("--app", "driver"), [
        1,
        "### Tests of driver: ❌ 1 failed (1 new, 0 known on main)",
        "- [Cart] · emulator\\-5554  "
      ])
      assert.deepStrictEqual(await markdown(), [
        1,
        "### Tests: ❌ 2 failed (1 new, 1 known on main)",
        "- [Cart] · driver · emulator\\-5554  "
      ])

      // The other app passes: its comment and check change, and those of the first don't.
      const commit = "c".repeat(40)
      for (const app of ["rider", "driver", "rider"]) {
        const env = { SLIPWAY_APP: app, SLIPWAY_COMMIT: commit }
        assert.strictEqual((await ci(["--format", "comment", "--format", "check"], env)).code, 0)
      }
      assert.lengthOf(github.comments, 2)
      assert.sameMembers(
        [...new Set(github.results.map(({ body }) => Object(body).name))],
        [`Slipway ${owner}/${repo} (rider)`, `Slipway ${owner}/${repo} (driver)`]
      )
      const { tests } = await client.tests.list({ org: owner, repo, app: "driver" })
      assert.deepStrictEqual(
        tests.map(({ app, name }) => [app, name]),
        [["driver", "Cart"]]
      )
      const listed = await program(["tests", "--app", "driver"])
      assert.match(listed.out, /^passed +Cart +driver +1 of 2 /m)
      assert.strictEqual(listed.err, "1 test.")
    })
  )

  it.effect("an attempt that is red is red, whatever the one before was", () =>
    tried(async ({ ci, register }) => {
      await register("Pay", { source: "github:100/1" })
      const id = await register("Pay", { status: "failed", source: "github:100/2" })
      const { code, out } = await ci(["--format", "markdown", "--fail-on", "failed"], { GITHUB_RUN_ATTEMPT: "1" })
      assert.strictEqual(code, 1)
      assert.match(out, new RegExp(`### Tests: ❌ 1 failed\\n\\n\\*\\*Failed\\*\\*\\n\\n- \\[Pay\\]\\([^)]+${id}\\)`))
    })
  )

  it.effect("a comment that can't be written is an error, and with --lenient-reporting a warning", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      const both = async (env: Readonly<Record<string, string>>, ...refusals: ReadonlyArray<number | Refusal>) => {
        github.refuse("POST", ...refusals)
        const lax = await ci(["--format", "comment", "--lenient-reporting"], env)
        github.refuse("POST", ...refusals)
        const strict = await ci(["--format", "comment"], env)
        github.refuse("POST")
        assert.strictEqual(lax.code, 0)
        assert.include(lax.err, "Warning: ")
        return strict
      }
      const noToken = await both({ GITHUB_TOKEN: "" })
      assert.strictEqual(noToken.code, 2)
      assert.include(noToken.err, "GITHUB_TOKEN")
      const noPermission = await both({}, 403)
      assert.strictEqual(noPermission.code, 3)
      assert.include(noPermission.err, "permissions: pull-requests: write")
      for (const refusal of [
        { status: 403, message: "API rate limit exceeded", headers: { "retry-after": "3000" } },
        { status: 403, message: "Unable to create comment because issue is locked." },
        { status: 401, message: "Bad credentials" }
      ]) {
        const { code, err } = await both({}, refusal)
        assert.strictEqual(code, 3)
        assert.include(err, refusal.message)
        assert.notInclude(err, "permissions:")
      }
      const summary = { GITHUB_STEP_SUMMARY: "/nowhere/summary.md" }
      const unwritten = await ci(["--format", "summary"], summary)
      assert.strictEqual(unwritten.code, 2)
      assert.include(unwritten.err, "The summary of the step isn't written")
      assert.strictEqual((await ci(["--format", "summary", "--lenient-reporting"], summary)).code, 0)

      github.refuse("POST", 403)
      const printed = await ci(["--format", "comment", "--format", "markdown", "--lenient-reporting"])
      assert.strictEqual(printed.code, 0)
      assert.include(printed.out, "1 passed")
      await register("B", failed)
      github.refuse("POST", 403)
      assert.strictEqual((await ci(["--format", "comment", "--fail-on", "failed", "--lenient-reporting"])).code, 1)

      // An earlier success may stand where the result can't be written.
      const commit = { SLIPWAY_COMMIT: "a".repeat(40) }
      await ci(["--format", "check"], commit)
      github.refuse("PATCH", 422, 422)
      await register("C", failed)
      const stale = await ci(["--format", "check", "--lenient-reporting"], commit)
      assert.strictEqual(stale.code, 3)
      assert.include(stale.err, "The check isn't written.")
    })
  )

  it.effect("a pull request of a fork, and a run without a pull request, get a warning and continue", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      github.refuse("POST", 403)
      const fork = await ci(["--format", "comment"], {
        GITHUB_ACTOR: "dependabot[bot]",
        GITHUB_EVENT_NAME: "pull_request"
      })
      assert.strictEqual(fork.code, 0)
      assert.include(fork.err, "fork")
      const noPull = await ci(["--format", "comment"], { SLIPWAY_PR: "" })
      assert.strictEqual(noPull.code, 0)
      assert.include(noPull.err, "no pull request")
    })
  )

  it.effect("the result of the commit has the failures as annotations, and is red only for what is", () =>
    tried(async ({ ci, github, register }) => {
      const commit = { SLIPWAY_COMMIT: "a".repeat(40), SLIPWAY_BRANCH: "feature", SLIPWAY_BASE: "main" }
      const written = async (...args: ReadonlyArray<string>) => {
        const { err } = await ci(["--format", "check", ...args], commit)
        return { err, ...Object(github.results.at(-1)) }
      }
      const none = await written()
      assert.match(none.path, /^\/repos\/acme\/app\/check-runs\/\d+$/)
      assert.include(none.body, { head_sha: commit.SLIPWAY_COMMIT, conclusion: "failure", status: "completed" })
      for (const ifEmpty of ["neutral", "success"]) {
        assert.strictEqual((await written("--if-empty", ifEmpty)).body.conclusion, ifEmpty)
      }
      for (const [ifEmpty, code] of [
        ["", 1],
        ["failure", 1],
        ["neutral", 0],
        ["success", 0],
        ["red", 2]
      ] as const) {
        for (const failOn of ["failed", "flaky", "new-failures"]) {
          const env = { SLIPWAY_IF_EMPTY: ifEmpty }
          assert.strictEqual((await ci(["--format", "markdown", "--fail-on", failOn], env)).code, code, ifEmpty)
        }
      }

      await register("Scroll", { file: "e2e/scroll.ts" })
      assert.strictEqual((await written()).body.conclusion, "success")
      assert.strictEqual((await written("--fail-on", "new-failures")).body.conclusion, "success")

      await register("Pay", { ...failed, branch: "main", source: "github:99" })
      await register("Pay", { ...failed, branch: "feature" })
      assert.strictEqual((await written("--fail-on", "new-failures")).body.conclusion, "neutral")
      const { body, err } = await written()
      assert.strictEqual(err, "The check is written to GitHub.")
      assert.strictEqual(body.conclusion, "failure")
      assert.strictEqual(body.output.title, "❌ 1 failed (0 new, 1 known on main) · ✅ 1 passed")
      assert.match(body.output.summary, /^### Tests: [^]*\/acme\/app\/actions\/runs\/100\)$/)
      const [check, ...others] = github.checks
      assert.lengthOf(others, 0)
      assert.lengthOf(check?.annotations ?? [], 1)
      const { message, ...annotation } = Object(check?.annotations[0])
      assert.match(message, /^Not found: `Pay`\n@acme\/team look\nhttp.*\/runs\//)
      assert.deepStrictEqual(annotation, {
        path: failed.file,
        start_line: 1,
        end_line: 1,
        annotation_level: "warning",
        title: "Pay"
      })
    })
  )

  it.effect("names the files of failures as reported, or only those of the checkout if there is one", () =>
    tried(async ({ ci, github, register }) => {
      await register("Pay", { ...failed, file: "e2e/pay.ts" })
      await register("Open", { ...failed, file: "Open.yaml" })
      const cwd = temporaryFolder()
      const named = async (commit: string) => {
        const { out } = await ci(
          ["--format", "check", "--format", "errors"],
          { SLIPWAY_COMMIT: commit.repeat(40) },
          cwd
        )
        const { body } = Object(github.results.at(-1))
        const annotated = body.output.annotations.map(({ path }: { readonly path: string }) => path)
        return {
          annotated: annotated.toSorted(),
          lines: Array.from(out.matchAll(/file=([^,]+)/g), ([, file]) => file).toSorted()
        }
      }
      assert.deepStrictEqual(await named("a"), {
        annotated: ["Open.yaml", "e2e/pay.ts"],
        lines: ["Open.yaml", "e2e/pay.ts"]
      })
      mkdirSync(join(cwd, ".git"))
      mkdirSync(join(cwd, "e2e"))
      writeFileSync(join(cwd, "e2e/pay.ts"), "")
      assert.deepStrictEqual(await named("b"), { annotated: ["e2e/pay.ts"], lines: ["e2e/pay.ts"] })
    })
  )

  it.effect("the result of the commit is a status on GitLab and Bitbucket", () =>
    tried(async ({ ci, github, owner, register, repo }) => {
      await register("Pay", failed)
      const commit = { SLIPWAY_COMMIT: "a".repeat(40), GITHUB_ACTIONS: "" }
      const gitlab = { GITLAB_CI: "true", GITLAB_TOKEN: "glpat-0", CI_API_V4_URL: github.url, CI_PROJECT_ID: "5" }
      const bitbucket = { BITBUCKET_BUILD_NUMBER: "3", BITBUCKET_TOKEN: "ATCTT-0", BITBUCKET_API_URL: github.url }
      for (const [name, env] of [
        ["GitLab", gitlab],
        ["Bitbucket", bitbucket]
      ] as const) {
        const { code, err } = await ci(["--format", "check", "--source", "github:100"], { ...commit, ...env })
        assert.deepStrictEqual({ code, err }, { code: 0, err: `The check is written to ${name}.` })
      }
      const [ofGitLab, ofBitbucket] = github.results
      assert.strictEqual(ofGitLab?.path, `/projects/5/statuses/${commit.SLIPWAY_COMMIT}`)
      assert.include(ofGitLab?.body, { state: "failed", description: "❌ 1 failed" })
      assert.strictEqual(
        ofBitbucket?.path,
        `/repositories/${owner}/${repo}/commit/${commit.SLIPWAY_COMMIT}/statuses/build`
      )
      assert.include(ofBitbucket?.body, { state: "FAILED", description: "❌ 1 failed" })
    })
  )

  it.effect("the result that remains is that of all jobs, though another registers while one writes", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      github.beforeResult(() => register("B", failed))
      await ci(["--format", "check"], { SLIPWAY_COMMIT: "a".repeat(40) })
      assert.deepStrictEqual(
        github.results.map(({ body }) => Reflect.get(Object(body), "conclusion")),
        [undefined, "failure"]
      )
    })
  )

  it.effect("a push to the branch of an open pull request writes its comment", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      github.pulls.push({ number: 3, state: "closed" }, { number: 4, state: "open" })
      const { err } = await ci(["--format", "comment"], { SLIPWAY_PR: "", SLIPWAY_COMMIT: "a".repeat(40) })
      assert.strictEqual(err, "The comment is written.")
      assert.include(github.asked, "POST /repos/acme/app/issues/4/comments")
    })
  )

  it.effect("a host that can't be reached is an error, whatever else can't be written", () =>
    tried(async ({ ci }) => {
      const { code } = await ci(["--format", "markdown"], { SLIPWAY_KEY: `slip_${"0".repeat(46)}` })
      assert.strictEqual(code, 3)
    })
  )

  it.effect.each([
    [["--format", "html"], /--format must be markdown or comment/],
    [["--share", "forever"], /--share must be like 7d/],
    [["--fail-on", "passed"], /--fail-on must be/],
    [["--format", "summary"], /GITHUB_STEP_SUMMARY/]
  ] as const)("%j is a usage error", ([args, why]) =>
    tried(async ({ ci }) => {
      const { code, err } = await ci(args)
      assert.strictEqual(code, 2)
      assert.match(err, why)
    })
  )
})
