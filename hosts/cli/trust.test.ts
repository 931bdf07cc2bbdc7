/** What a repository trusts, by the command line, on new stores, once for each way to reach them. */
import { startThrough, ways } from "./testing/ways.ts"
import { assert, describe, it } from "vitest"
import { slipway } from "./testing/slipway.ts"

for (const way of ways()) {
  describe(`the command line, through ${way.through}`, () => {
    const start = () => startThrough(way)

    it("trusts the CI of a linked repository, lists that and ends it", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      const unlinked = await slipway(["repo", "trust", "acme/app", "--github"], { env })
      assert.strictEqual(unlinked.code, 1)
      assert.include(unlinked.stderr, "slipway repo link acme/app --account NAME")
      await json("repo", "link", "acme/app", "--account", "acme")
      const trusted = {
        owner: "acme",
        repo: "app",
        account: "acme",
        issuer: "https://token.actions.githubusercontent.com",
        scopes: ["builds", "preview_upload", "test_runs"]
      }
      assert.deepStrictEqual(await json("repo", "trust", "Acme/App", "--github"), trusted)
      const narrow = { ...trusted, scopes: ["builds"] }
      assert.deepStrictEqual(await json("repo", "trust", "acme/app", "--github", "--scope", "builds"), narrow)
      const issuer = "https://git.example/_services/token"
      const own = { ...narrow, issuer }
      const more = ["--github", "--scope", "builds", "--issuer", issuer]
      assert.deepStrictEqual(await json("repo", "trust", "acme/app", ...more), own)
      assert.sameDeepMembers(
        [...((await json("repo", "trust", "list", "--account", "acme")) as Array<unknown>)],
        [narrow, own]
      )
      assert.deepStrictEqual(await json("repo", "untrust", "acme/app", "--github"), narrow)
      assert.strictEqual((await slipway(["repo", "untrust", "acme/app", "--github"], { env })).code, 1)
      assert.deepStrictEqual(await json("repo", "trust", "list", "--account", "acme"), [own])
      for (const wrong of [
        ["--github", "--issuer", "http://git.example"],
        ["--github", "--scope", "everything"],
        ["--github", "--workflow", "release.yml"],
        ["--github", "--branch", ""],
        ["--github", "--repository-id", "a/b", "--owner-id", "9"]
      ]) {
        const { code, stderr } = await slipway(["repo", "trust", "acme/app", ...wrong], { env })
        assert.strictEqual(code, 2)
        assert.include(stderr, wrong[1] ?? "")
      }
    })

    it("trusts other CI systems by their issuers, and refuses what their tokens don't have", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      await json("repo", "link", "acme/app", "--account", "acme")
      const trusted = (...flags: ReadonlyArray<string>) => json("repo", "trust", "acme/app", ...flags)
      const pins = ["--repository-id", "0190-p", "--owner-id", "0190-o"]
      assert.propertyVal(await trusted("--gitlab"), "issuer", "https://gitlab.com")
      assert.propertyVal(await trusted("--gitlab", "--issuer", "https://git.example"), "issuer", "https://git.example")
      assert.propertyVal(await trusted("--circleci", "0190-o"), "issuer", "https://oidc.circleci.com/org/0190-o")
      assert.propertyVal(await trusted("--buildkite", ...pins), "issuer", "https://agent.buildkite.com")
      for (const [flags, why] of [
        [[], /one of --github, --gitlab, --circleci ORGANIZATION_ID and --buildkite/],
        [["--github", "--gitlab"], /one of --github/],
        [["--buildkite"], /BUILDKITE_PIPELINE_ID and BUILDKITE_ORGANIZATION_ID/],
        [["--buildkite", ...pins, "--environment", "release"], /leave out --environment/],
        [["--circleci", "0190-o", "--workflow", "a@b"], /leave out --workflow/]
      ] as const) {
        const { code, stderr } = await slipway(["repo", "trust", "acme/app", ...flags], { env })
        assert.strictEqual(code, 1)
        assert.match(stderr, why)
      }
      await json("repo", "untrust", "acme/app", "--circleci", "0190-o")
      const left = await slipway(["repo", "trust", "list", "--account", "acme"], { env })
      assert.include(
        left.stdout,
        "https://agent.buildkite.com  builds preview_upload test_runs  repository 0190-p of owner 0190-o"
      )
      assert.notInclude(left.stdout, "circleci")
    })

    it("trusts on conditions, shows them in the list, and ends them with the link", async () => {
      const { env, json } = await start()
      await json("account", "create", "acme")
      await json("repo", "link", "acme/app", "--account", "acme")
      const workflow = "acme/app/.github/workflows/release.yml@refs/heads/*"
      const conditions = `--branch main --branch release/* --environment release --workflow ${workflow}`
      const args = `repo trust acme/app --github --scope builds ${conditions}`.split(" ")
      const trusted = {
        owner: "acme",
        repo: "app",
        account: "acme",
        issuer: "https://token.actions.githubusercontent.com",
        scopes: ["builds"],
        branches: ["main", "release/*"],
        environments: ["release"],
        workflows: [workflow]
      }
      const list = ["repo", "trust", "list", "--account", "acme"]
      assert.deepStrictEqual(await json(...args), trusted)
      assert.deepStrictEqual(await json(...list), [trusted])
      const line = `branch main  branch release/*  environment release  workflow ${workflow}  ids pinned by the first token`
      assert.include((await slipway(list, { env })).stdout, line)
      const alone = await slipway([...args, "--repository-id", "74"], { env })
      assert.strictEqual(alone.code, 1)
      assert.include(alone.stderr, "--repository-id and --owner-id go together")
      const pinned = { ...trusted, pullRequestTarget: true, repositoryId: "74", ownerId: "65" }
      const pins = ["--repository-id", "74", "--owner-id", "65"]
      assert.deepStrictEqual(await json(...args, ...pins, "--allow-pull-request-target"), pinned)
      assert.include((await slipway(list, { env })).stdout, "pull_request_target allowed  repository 74 of owner 65")
      await json("repo", "unlink", "acme/app", "--account", "acme")
      await json("repo", "link", "acme/app", "--account", "acme")
      assert.deepStrictEqual(await json(...list), [])
    })
  })
}
