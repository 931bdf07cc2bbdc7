/** The comment on a pull request about the runs on a real host. GitHub, GitLab and Bitbucket are emulated over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { createClient, type Client, type RegisterTestRun, type ReplayCheck } from "../../client/index.ts"
import { temporaryFolder } from "../testing/folders.ts"
import { runCi, type Ran } from "../testing/runCi.ts"
import { startComments, type Refusal, type CommentsEmulator } from "../testing/commentsEmulator.ts"

type Fields = Partial<RegisterTestRun>

interface Tried {
  readonly github: CommentsEmulator
  /** Runs `comment` with these flags, as a workflow of GitHub does. */
  readonly ci: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>, cwd?: string) => Promise<Ran>
  /** Runs any command, in the same job. */
  readonly program: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>, cwd?: string) => Promise<Ran>
  /** Registers a run of the source `github:100`. */
  readonly register: (name: string, fields?: Fields) => Promise<string>
  readonly client: Client
  readonly url: string
  readonly key: string
  readonly owner: string
  readonly repo: string
}

const failed: Fields = { status: "failed", failureMessage: "Not found: `Pay`\n@acme/team look", file: "e2e/pay:1.ts" }
const flaky: Fields = { attempts: [{ status: "failed" }, { status: "passed" }], device: { name: "Pixel 8" } }

const tried = (run: (tried: Tried) => Promise<void>) =>
  Effect.gen(function* () {
    const { url } = yield* TestHost
    const { key, owner, repo } = yield* newAccount(["builds", "preview_upload", "test_runs"])
    const github = yield* Effect.acquireRelease(Effect.promise(startComments), ({ close }) => Effect.sync(close))
    const client = createClient({ url, key })
    yield* Effect.promise(async () => {
      const bundle = { body: new TextEncoder().encode("run()"), contentType: "text/javascript" }
      const { shareId: previewShareId } = await client.previews.upload({ bundle })
      const register = async (name: string, fields: Fields = {}) => {
        const common = { owner, repo, previewShareId, kind: "maestro", status: "passed", source: "github:100" } as const
        return (await client.testRuns.register({ ...common, name, ...fields })).id
      }
      const env = {
        SLIPWAY_URL: url,
        SLIPWAY_KEY: key,
        SLIPWAY_OWNER: owner,
        SLIPWAY_REPO: repo,
        SLIPWAY_PR: "7",
        GITHUB_ACTIONS: "true",
        GITHUB_REPOSITORY: "acme/app",
        GITHUB_RUN_ID: "100",
        GITHUB_TOKEN: "ghs_0123456789012345678901234567",
        GITHUB_API_URL: github.url
      }
      const program: Tried["program"] = (args, more = {}, cwd = "/") => runCi(args, { cwd, env: { ...env, ...more } })
      const ci: Tried["ci"] = (args, more, cwd) => program(["comment", ...args], more, cwd)
      await run({ github, ci, client, program, register, url, key, owner, repo })
    })
  })

layer(TestHost.layer(inMemory))("comment", (it) => {
  it.effect("prints Markdown in which no text of a test means anything but itself", () =>
    tried(async ({ ci, owner, register, repo, url }) => {
      const broken = await register("Pay *now* <b> @acme :tada:", failed)
      const shaky = await register("Scroll", flaky)
      for (const name of ["A", "B", "C"]) await register(name)
      await register("Another run of the CI", { ...failed, source: "github:99" })
      const { code, err, out } = await ci(["--format", "markdown"])
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
      assert.strictEqual(
        out,
        [
          "### Tests: ❌ 1 failed · ⚠️ 1 flaky · ✅ 3 passed",
          "",
          "**Failed**",
          "",
          `- [Pay \\*now\\* &lt;b&gt; &#64;acme &#58;tada:](${url}/runs/${broken})  `,
          "  Not found: \\`Pay\\`…",
          "",
          "  <details><summary>Message</summary>",
          "",
          "  ```text",
          "  Not found: `Pay`",
          "  @acme/team look",
          "  ```",
          "",
          "  </details>",
          "",
          "<details><summary><b>Flaky</b>: 1</summary>",
          "",
          `- [Scroll](${url}/runs/${shaky}) · Pixel 8 · 2 attempts`,
          "",
          "</details>",
          "",
          `[All 5 runs](${url}/sources?${new URLSearchParams({ owner, repo, source: "github:100" })})`
        ].join("\n")
      )
    })
  )

  it.effect("counts every run of all pages, and shows 50 failures", () =>
    tried(async ({ ci, register }) => {
      await Promise.all(Array.from({ length: 105 }, (_, index) => register(`Test ${index}`, { status: "failed" })))
      const { out } = await ci(["--format", "markdown"])
      assert.include(out, "❌ 105 failed")
      assert.lengthOf(out.match(/^- \[/gm) ?? [], 50)
      assert.include(out, "- and 55 more")
    })
  )

  it.effect("has the builds and previews of the commit, with their size beside the base branch's, and QR codes", () =>
    tried(async ({ ci, client, github, owner, repo, url }) => {
      const commit = (digit: string) => digit.repeat(40)
      const upload = async (branch: string, commitSha: string, size: number, platform: "ios" | "android" = "ios") => {
        const bundle = { body: new Uint8Array(size), contentType: "text/javascript" }
        return (await client.builds.upload({ owner, repo, branch, platform, commitSha, bundle })).id
      }
      const preview = async (
        branch: string,
        commitSha: string,
        size: number,
        billingKind = "preview",
        replayCheck?: ReplayCheck
      ) => {
        const bundle = { body: new Uint8Array(size), contentType: "text/javascript" }
        const declared = { owner, repo, branch, commitSha, platform: "ios", billingKind, bundle } as const
        if (replayCheck !== undefined) return (await client.previews.upload({ ...declared, replayCheck })).shareId
        return (await client.previews.upload(declared)).shareId
      }
      await upload("main", commit("1"), 1024)
      await preview("main", commit("1"), 4096)
      const ios = await upload("feature", commit("2"), 3072)
      const android = await upload("feature", commit("2"), 100, "android")
      const boxes = ["BVLinearGradient"]
      const shown = await preview("feature", commit("2"), 2048, "preview", { firstScreen: "drawn", boxes })
      await preview("feature", commit("2"), 7, "test_run")
      const env = { SLIPWAY_BRANCH: "feature", SLIPWAY_BASE: "main" }
      const linesOf = (text: string) => text.split("\n").filter((line) => /^- |<img/.test(line))
      const lines = async (digit: string) =>
        linesOf((await ci(["--format", "markdown"], { ...env, SLIPWAY_COMMIT: commit(digit) })).out)
      const code = (path: string, name: string) =>
        `${name}<br><img src="${url}${path}/qr.gif" alt="QR code of the ${name}">`
      assert.deepStrictEqual(await lines("2"), [
        `- [Open the iOS build in the browser](${url}/builds/${ios}) · 3 KiB, +2 KiB (+200%) compared with main`,
        `- [Open the Android build in the browser](${url}/builds/${android}) · 100 bytes`,
        `- [Open the iOS preview in the browser](${url}/previews/${shown}) · 2 KiB, −2 KiB (−50%) compared with main · first screen drawn with 1 box`,
        code(`/builds/${ios}`, "iOS build"),
        code(`/builds/${android}`, "Android build"),
        code(`/previews/${shown}`, "iOS preview")
      ])
      assert.deepStrictEqual(await lines("3"), [])

      const shared = async () => {
        await ci(["--format", "comment", "--share", "1h"], { ...env, SLIPWAY_COMMIT: commit("2") })
        return linesOf(github.comments[0]?.body ?? "")
      }
      const first = await shared()
      const [, link = ""] = /\[without a key\]\(([^)]+)\)/.exec(first[2] ?? "") ?? []
      assert.strictEqual((await fetch(link)).status, 200)
      assert.include(first[5], `src="${link}/qr.gif"`)
      assert.deepStrictEqual(await shared(), first)
    })
  )

  it.effect("shows fewer failures where GitHub would refuse the comment for its length", () =>
    tried(async ({ ci, github, register }) => {
      const fields = { ...failed, failureMessage: `first\n${"x".repeat(2000)}` }
      await Promise.all(Array.from({ length: 60 }, (_, index) => register(`${index} ${"n".repeat(500)}`, fields)))
      assert.strictEqual((await ci(["--format", "comment"])).code, 0)
      const { body = "" } = github.comments[0] ?? {}
      assert.isAtMost(body.length, 65_536)
      assert.lengthOf(body.match(/^- \[/gm) ?? [], 20)
      assert.match(body, /^- and 40 more$/m)
      assert.strictEqual(body.match(/<details>/g)?.length, body.match(/<\/details>/g)?.length)
    })
  )

  it.effect("is made once, found again among others, and updated", () =>
    tried(async ({ ci, github, register }) => {
      for (let count = 0; count < 120; count += 1) {
        const body = count === 110 ? "[slipway-ci x y]: #slipway-ci\n\nnot ours" : "a comment"
        github.comments.push({ id: -200 + count, body, user: { login: "somebody", type: "User" } })
      }
      await register("Pay", failed)
      assert.strictEqual((await ci(["--format", "comment"])).code, 0)
      const [first] = github.comments.slice(120)
      assert.match(first?.body ?? "", /^\[slipway-ci \S+ github%3A100\]: #slipway-ci\n\n### Tests: ❌ 1 failed/)
      await register("Scroll")
      assert.strictEqual((await ci(["--format", "comment"])).code, 0)
      assert.lengthOf(github.comments, 121)
      assert.include(first?.body, "❌ 1 failed · ✅ 1 passed")
      const asked = github.asked.length
      await ci(["--format", "comment"])
      assert.deepStrictEqual(
        github.asked.slice(asked).filter((call) => !call.startsWith("GET ")),
        []
      )
      await ci(["--format", "comment", "--name", "android"])
      assert.lengthOf(github.comments, 122)
    })
  )

  for (const [name, own] of [
    ["GitHub", {}],
    ["GitLab", { GITHUB_ACTIONS: "", GITLAB_CI: "true", GITLAB_TOKEN: "glpat-0", CI_PROJECT_ID: "3" }],
    ["Bitbucket", { GITHUB_ACTIONS: "", BITBUCKET_BUILD_NUMBER: "3", BITBUCKET_TOKEN: "ATCTT-0" }]
  ] as const) {
    it.effect(`from ten jobs at once is one comment on ${name}, which reports all runs`, () =>
      tried(async ({ ci, github, register }) => {
        const release = github.holdLists()
        const env = { ...own, CI_API_V4_URL: github.url, BITBUCKET_API_URL: github.url, SLIPWAY_SOURCE: "github:100" }
        const jobs = Array.from({ length: 10 }, async (_, index) => {
          await register(`Shard ${index}`, index % 2 === 0 ? failed : {})
          return ci(["--format", "comment"], env)
        })
        // All have seen that there is no comment before the first makes one.
        while (github.asked.filter((call) => /^GET .*(?:comments|notes)$/.test(call)).length < 10) {
          await new Promise((resolve) => setImmediate(resolve))
        }
        release()
        const ran = await Promise.all(jobs)
        assert.deepStrictEqual(
          ran.map(({ code }) => code),
          Array.from({ length: 10 }, () => 0)
        )
        const left = github.comments.filter(({ deleted }) => deleted !== true)
        assert.lengthOf(left, 1)
        assert.isAbove(github.asked.filter((call) => call.startsWith("DELETE")).length, 0)
        assert.include(left[0]?.body, "❌ 5 failed · ✅ 5 passed")
      })
    )
  }

  it.effect("has no HTML on Bitbucket, where a push writes it to the open pull request of the commit", () =>
    tried(async ({ ci, github, owner, register, repo }) => {
      await register("Pay", { status: "failed", failureMessage: "pay.spec.ts:1:2 › Pay ─────\n\n    Error: gone" })
      await register("Scroll", flaky)
      github.pulls.push({ id: 3, state: "MERGED" }, { id: 4, state: "OPEN" })
      const env = {
        GITHUB_ACTIONS: "",
        BITBUCKET_BUILD_NUMBER: "3",
        BITBUCKET_TOKEN: "ATCTT-0",
        BITBUCKET_API_URL: github.url,
        SLIPWAY_SOURCE: "github:100",
        SLIPWAY_PR: "",
        SLIPWAY_COMMIT: "a".repeat(40)
      }
      assert.deepInclude(await ci([], env), { code: 0, err: "The comment is written." })
      assert.include(github.asked, `POST /repositories/${owner}/${repo}/pullrequests/4/comments`)
      const { body = "" } = github.comments[0] ?? {}
      assert.match(body, /^\[slipway-ci [^\]]+\]: #slipway-ci\n\n### Tests: ❌ 1 failed · ⚠️ 1 flaky\n/)
      assert.include(body, "\n  Error: gone…\n")
      assert.include(body, "**Flaky**")
      // Bitbucket renders no HTML, nested lists, tables or lists of tasks.
      assert.notMatch(body, /<|```|^ +[-*+] |^\||^- \[[ x]\] /m)
      github.refuse("PUT", { status: 403, message: "forbidden" })
      await register("More")
      assert.include((await ci([], env)).err, "Warning: Bitbucket doesn't let this token write the comment")
    })
  )

  it.effect("is a note of the merge request on GitLab, made once and updated", () =>
    tried(async ({ ci, github, register }) => {
      const env = {
        GITHUB_ACTIONS: "",
        GITLAB_CI: "true",
        GITLAB_TOKEN: "glpat-01234567890123456789",
        CI_API_V4_URL: github.url,
        CI_MERGE_REQUEST_PROJECT_ID: "3",
        SLIPWAY_SOURCE: "github:100"
      }
      await register("Pay", failed)
      assert.deepInclude(await ci([], env), { code: 0, err: "The comment is written." })
      await register("Scroll")
      await ci([], env)
      assert.lengthOf(github.comments, 1)
      assert.include(github.comments[0]?.body, "❌ 1 failed · ✅ 1 passed")
      assert.deepStrictEqual(
        github.asked.filter((call) => !call.startsWith("GET ")),
        ["POST /projects/3/merge_requests/7/notes", "PUT /projects/3/merge_requests/7/notes/1"]
      )
      github.refuse("PUT", { status: 403, message: "403 Forbidden" })
      await register("More")
      const refused = await ci(["--strict-reporting"], env)
      assert.strictEqual(refused.code, 3)
      assert.include(refused.err, "GITLAB_TOKEN must be an access token of the project")
      assert.include((await ci([], { ...env, GITLAB_TOKEN: "" })).err, "no comment is written: GITLAB_TOKEN isn't set.")
      const without = await ci(["--format", "comment"], { ...env, GITLAB_TOKEN: "" })
      assert.include(without.err, "Warning: No comment: GITLAB_TOKEN isn't set.")
    })
  )

  it.effect("of an earlier run replaces neither that of a later one nor that of another workflow", () =>
    tried(async ({ ci, github, register }) => {
      await register("Pay", { source: "github:101" })
      await register("Pay", failed)
      await ci(["--format", "comment"], { GITHUB_RUN_ID: "101" })
      const { code, err } = await ci(["--format", "comment"])
      assert.strictEqual(code, 0)
      assert.include(err, "a later run")
      assert.include(github.comments[0]?.body, "✅ 1 passed")
      await ci(["--format", "comment"], { GITHUB_WORKFLOW: "Nightly" })
      assert.include(github.comments[1]?.body, "❌ 1 failed")
    })
  )

  it.effect("has links for people without a key with --share: one for each run, kept when it is updated", () =>
    tried(async ({ ci, github, register }) => {
      await register("Pay", failed)
      await ci(["--format", "comment", "--share", "7d"])
      const [link = ""] = /(?<=\[without a key\]\()[^)]+/.exec(github.comments[0]?.body ?? "") ?? []
      assert.strictEqual((await fetch(link)).status, 200)
      await register("Scroll", flaky)
      await ci(["--format", "comment", "--share", "7d"])
      const links = github.comments[0]?.body.match(/(?<=\[without a key\]\()[^)]+/g) ?? []
      assert.lengthOf(links, 2)
      assert.include(links, link)
    })
  )

  it.effect("on GitHub writes the comment, the summary of the step, and a line for each failure", () =>
    tried(async ({ ci, github, register, url }) => {
      const id = await register("Pay, 100%", failed)
      const summary = join(temporaryFolder(), "summary.md")
      const { code, out } = await ci([], { GITHUB_STEP_SUMMARY: summary })
      assert.strictEqual(code, 0)
      assert.include(github.comments[0]?.body, "❌ 1 failed")
      assert.match(readFileSync(summary, "utf8"), /^### Tests: ❌ 1 failed/)
      assert.strictEqual(
        out,
        `::error file=e2e/pay%3A1.ts,title=Pay%2C 100%25::Not found: \`Pay\`%0A@acme/team look%0A${url}/runs/${id}`
      )
    })
  )

  it.effect("exits 1 with --fail-on, when what it names occurred", () =>
    tried(async ({ ci, register }) => {
      const codes = async () => {
        const ran = [["failed"], ["flaky"]].map(([on = ""]) => ci(["--format", "markdown", "--fail-on", on]))
        return (await Promise.all(ran)).map(({ code }) => code)
      }
      await register("A")
      assert.deepStrictEqual(await codes(), [0, 0])
      await register("B", flaky)
      assert.deepStrictEqual(await codes(), [0, 1])
      await register("C", failed)
      assert.deepStrictEqual(await codes(), [1, 1])
    })
  )

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
          `<testsuites><testsuite name="Test Suite" device="Pixel 7 - Android 14" tests="2">${flow("Pay", pay)}${cart}</testsuite></testsuites>`
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

  it.effect("an attempt that is red is red, whatever the one before was", () =>
    tried(async ({ ci, register }) => {
      await register("Pay", { source: "github:100/1" })
      const id = await register("Pay", { status: "failed", source: "github:100/2" })
      const { code, out } = await ci(["--format", "markdown", "--fail-on", "failed"], { GITHUB_RUN_ATTEMPT: "1" })
      assert.strictEqual(code, 1)
      assert.match(out, new RegExp(`### Tests: ❌ 1 failed\\n\\n\\*\\*Failed\\*\\*\\n\\n- \\[Pay\\]\\([^)]+${id}\\)`))
    })
  )

  it.effect("a comment that can't be written is a warning, and with --strict-reporting an error", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      const both = async (env: Readonly<Record<string, string>>, ...refusals: ReadonlyArray<number | Refusal>) => {
        github.refuse("POST", ...refusals)
        const lax = await ci(["--format", "comment"], env)
        github.refuse("POST", ...refusals)
        const strict = await ci(["--format", "comment", "--strict-reporting"], env)
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
      const unwritten = await ci(["--format", "summary", "--strict-reporting"], summary)
      assert.strictEqual(unwritten.code, 2)
      assert.include(unwritten.err, "The summary of the step isn't written")
      assert.strictEqual((await ci(["--format", "summary"], summary)).code, 0)

      github.refuse("POST", 403)
      const printed = await ci(["--format", "comment", "--format", "markdown"])
      assert.strictEqual(printed.code, 0)
      assert.include(printed.out, "1 passed")
      await register("B", failed)
      github.refuse("POST", 403)
      assert.strictEqual((await ci(["--format", "comment", "--fail-on", "failed"])).code, 1)
    })
  )

  it.effect("a pull request of a fork, and a run without a pull request, get a warning and continue", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      github.refuse("POST", 403)
      const fork = await ci(["--format", "comment", "--strict-reporting"], {
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
      assert.strictEqual(none.path, "/repos/acme/app/check-runs")
      assert.include(none.body, { head_sha: commit.SLIPWAY_COMMIT, conclusion: "neutral", status: "completed" })

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
      assert.lengthOf(body.output.annotations, 1)
      const { message, ...annotation } = body.output.annotations[0]
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
      const named = async () => {
        const { out } = await ci(["--format", "check", "--format", "errors"], { SLIPWAY_COMMIT: "a".repeat(40) }, cwd)
        const { body } = Object(github.results.at(-1))
        const annotated = body.output.annotations.map(({ path }: { readonly path: string }) => path)
        return {
          annotated: annotated.toSorted(),
          lines: Array.from(out.matchAll(/file=([^,]+)/g), ([, file]) => file).toSorted()
        }
      }
      assert.deepStrictEqual(await named(), {
        annotated: ["Open.yaml", "e2e/pay.ts"],
        lines: ["Open.yaml", "e2e/pay.ts"]
      })
      mkdirSync(join(cwd, ".git"))
      mkdirSync(join(cwd, "e2e"))
      writeFileSync(join(cwd, "e2e/pay.ts"), "")
      assert.deepStrictEqual(await named(), { annotated: ["e2e/pay.ts"], lines: ["e2e/pay.ts"] })
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
        ["success", "failure"]
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

  it.effect("a message for Slack or Teams names the failures, as text", () =>
    tried(async ({ ci, github, owner, register, repo, url }) => {
      const id = await register("Pay <now> | *all*", failed)
      const hook = (name: string) => `${github.url}/statuses/${name}`
      const env = { SLACK_WEBHOOK_URL: hook("slack"), TEAMS_WEBHOOK_URL: hook("teams"), SLIPWAY_BRANCH: "main" }
      const { code, err } = await ci(["--format", "slack", "--format", "teams"], env)
      assert.deepStrictEqual(
        { code, err },
        { code: 0, err: "The message is sent (slack).\nThe message is sent (teams)." }
      )
      const [slack, teams] = github.results.map(({ body }) => Object(body))
      const page = `${url}/sources?${new URLSearchParams({ owner, repo, source: "github:100" })}`
      assert.strictEqual(
        slack.text,
        `<${page}|${owner}/${repo} main: ❌ 1 failed>\n• <${url}/runs/${id}|Pay &lt;now&gt; ¦ *all*>`
      )
      const [title, failure] = teams.attachments[0].content.body
      assert.match(title.text, /main: ❌ 1 failed$/)
      assert.strictEqual(failure.text, `- [Pay \\<now\\> | \\*all\\*](${url}/runs/${id})`)

      const refused = await ci(["--format", "slack"], { SLACK_WEBHOOK_URL: `${github.url}/issues/comments/9` })
      assert.strictEqual(refused.code, 0)
      assert.match(refused.err, /^Warning: The message isn't sent\. SLACK_WEBHOOK_URL: 404 refused/)
      assert.strictEqual((await ci(["--format", "slack"])).code, 2)
    })
  )

  it.effect("a host that can't be reached is an error, whatever else can't be written", () =>
    tried(async ({ ci }) => {
      const { code } = await ci(["--format", "markdown"], { SLIPWAY_KEY: `slip_${"0".repeat(46)}` })
      assert.strictEqual(code, 3)
    })
  )

  it.effect.each([
    [["--format", "html"], /--format must be one of/],
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
