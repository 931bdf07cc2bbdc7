/** What a pull request is told of the runs on a real host; its comments are on a stand-in for GitHub, over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { createClient, type RegisterTestRun } from "../../client/index.ts"
import { temporaryFolder } from "../testing/folders.ts"
import { runCi, type Ran } from "../testing/runCi.ts"
import { startGitHub, type StandInGitHub } from "../testing/standInGitHub.ts"

type Told = Partial<RegisterTestRun>

interface Tried {
  readonly github: StandInGitHub
  /** Runs `comment` with these flags, as a workflow of GitHub does. */
  readonly ci: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Promise<Ran>
  /** Registers a run of the source `github:100`. */
  readonly register: (name: string, told?: Told) => Promise<string>
  readonly url: string
  readonly owner: string
  readonly repo: string
}

const failed: Told = { status: "failed", failureMessage: "Not found: `Pay`\n@acme/team look", file: "e2e/pay:1.ts" }
const flaky: Told = { attempts: [{ status: "failed" }, { status: "passed" }], device: { name: "Pixel 8" } }

const tried = (run: (tried: Tried) => Promise<void>) =>
  Effect.gen(function* () {
    const { url } = yield* TestHost
    const { key, owner, repo } = yield* newAccount(["preview_upload", "test_runs"])
    const github = yield* Effect.acquireRelease(Effect.promise(startGitHub), ({ close }) => Effect.sync(close))
    const client = createClient({ url, key })
    yield* Effect.promise(async () => {
      const bundle = { body: new TextEncoder().encode("run()"), contentType: "text/javascript" }
      const { shareId: previewShareId } = await client.previews.upload({ bundle })
      const register = async (name: string, told: Told = {}) => {
        const common = { owner, repo, previewShareId, kind: "maestro", status: "passed", source: "github:100" } as const
        return (await client.testRuns.register({ ...common, name, ...told })).id
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
      const ci: Tried["ci"] = (args, more = {}) => runCi(["comment", ...args], { env: { ...env, ...more } })
      await run({ github, ci, register, url, owner, repo })
    })
  })

layer(TestHost.layer(inMemory))("comment", (it) => {
  it.effect("prints Markdown in which no text of a test means anything but itself", () =>
    tried(async ({ ci, owner, register, repo, url }) => {
      const broken = await register("Pay *now* <b> @acme", failed)
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
          `- [Pay \\*now\\* &lt;b&gt; &#64;acme](${url}/runs/${broken})`,
          "  ```text",
          "  Not found: `Pay`",
          "  @acme/team look",
          "  ```",
          "",
          "**Flaky**",
          "",
          `- [Scroll](${url}/runs/${shaky}) · Pixel 8 · 2 attempts`,
          "",
          `[All 5 runs](${url}/sources?${new URLSearchParams({ owner, repo, source: "github:100" })})`
        ].join("\n")
      )
    })
  )

  it.effect("tells of every run, however many pages of them there are, and shows 50 failures", () =>
    tried(async ({ ci, register }) => {
      await Promise.all(Array.from({ length: 105 }, (_, index) => register(`Test ${index}`, { status: "failed" })))
      const { out } = await ci(["--format", "markdown"])
      assert.include(out, "❌ 105 failed")
      assert.lengthOf(out.match(/^- \[/gm) ?? [], 50)
      assert.include(out, "- and 55 more")
    })
  )

  it.effect("is made once, found again among others, and updated", () =>
    tried(async ({ ci, github, register }) => {
      for (let count = 0; count < 120; count += 1) {
        const body = count === 110 ? "<!-- slipway-ci x -->\nnot ours" : "a comment"
        github.comments.push({ id: -200 + count, body, user: { login: "somebody", type: "User" } })
      }
      await register("Pay", failed)
      assert.strictEqual((await ci(["--format", "comment"])).code, 0)
      const [first] = github.comments.slice(120)
      assert.match(first?.body ?? "", /^<!-- slipway-ci \S+ github%3A100 -->\n### Tests: ❌ 1 failed/)
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

  it.effect("from ten jobs at once is one comment, which tells of all runs", () =>
    tried(async ({ ci, github, register }) => {
      const release = github.holdLists()
      const jobs = Array.from({ length: 10 }, async (_, index) => {
        await register(`Shard ${index}`, index % 2 === 0 ? failed : {})
        return ci(["--format", "comment"])
      })
      // All have seen that there is no comment before the first makes one.
      while (github.asked.filter((call) => call.startsWith("GET /repos")).length < 10) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      release()
      const ran = await Promise.all(jobs)
      assert.deepStrictEqual(
        ran.map(({ code }) => code),
        Array.from({ length: 10 }, () => 0)
      )
      assert.lengthOf(github.comments, 1)
      assert.isAbove(github.asked.filter((call) => call.startsWith("DELETE")).length, 0)
      assert.include(github.comments[0]?.body, "❌ 5 failed · ✅ 5 passed")
    })
  )

  it.effect("of an earlier run doesn't replace that of a later one", () =>
    tried(async ({ ci, github, register }) => {
      await register("Pay", { source: "github:101" })
      await register("Pay", failed)
      await ci(["--format", "comment"], { GITHUB_RUN_ID: "101" })
      const { code, err } = await ci(["--format", "comment"])
      assert.strictEqual(code, 0)
      assert.include(err, "a later run")
      assert.include(github.comments[0]?.body, "✅ 1 passed")
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

  it.effect("exits 1 with --fail-on, when what it names is there", () =>
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

  it.effect("tells what is missing; a pull request of a fork is warned, and goes on", () =>
    tried(async ({ ci, github, register }) => {
      await register("A")
      const noToken = await ci(["--format", "comment"], { GITHUB_TOKEN: "" })
      assert.strictEqual(noToken.code, 2)
      assert.include(noToken.err, "GITHUB_TOKEN")
      github.refuse("POST", 403)
      const noPermission = await ci(["--format", "comment"])
      assert.strictEqual(noPermission.code, 3)
      assert.include(noPermission.err, "permissions: pull-requests: write")
      github.refuse("POST", 403)
      const printed = await ci(["--format", "comment", "--format", "markdown"])
      assert.strictEqual(printed.code, 3)
      assert.include(printed.out, "1 passed")
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
