/** The comment on a pull request about the runs on a real host. GitHub, GitLab and Bitbucket are emulated over HTTP. */
import { layer } from "../../../core/testing/layer.ts"
import { failed, flaky, tried } from "../testing/commentRuns.ts"
import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import type { ReplayCheck } from "../../client/index.ts"
import { temporaryFolder } from "../testing/folders.ts"

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
      // Three bytes each, of which a service may count each.
      const fields = { ...failed, failureMessage: `first\n${"語".repeat(600)}` }
      await Promise.all(Array.from({ length: 60 }, (_, index) => register(`${index} ${"n".repeat(500)}`, fields)))
      assert.strictEqual((await ci(["--format", "comment"])).code, 0)
      const { body = "" } = github.comments[0] ?? {}
      assert.isAtMost(Buffer.byteLength(body), 65_536)
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
      assert.include((await ci([], env)).err, "slipway-ci: Bitbucket doesn't let this token write the comment")
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
      const refused = await ci([], env)
      assert.strictEqual(refused.code, 3)
      assert.include(refused.err, "GITLAB_TOKEN must be an access token of the project")
      assert.include((await ci([], { ...env, GITLAB_TOKEN: "" })).err, "no comment is written: GITLAB_TOKEN isn't set.")
      const without = await ci(["--format", "comment"], { ...env, GITLAB_TOKEN: "" })
      assert.strictEqual(without.code, 2)
      assert.include(without.err, "No comment: GITLAB_TOKEN isn't set.")
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
})
