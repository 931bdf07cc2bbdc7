/** The precedence of settings, and the values from a git checkout. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { repositoryOf } from "./ciEnvironment.ts"
import { settingsOf } from "./settings.ts"

const shaOf = (digit: string) => digit.repeat(40)

const folder = (): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "slipway-git-")))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A checkout of a branch with one commit, and what git answers in it. */
const checkout = () => {
  const cwd = folder()
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim()
  git("init", "--quiet", "--initial-branch", "feature/pay")
  git("commit", "--quiet", "--allow-empty", "--message", "Pay")
  git("remote", "add", "origin", "git@github.com:acme/app.git")
  return { cwd, git }
}

const github = {
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/app",
  GITHUB_REF: "refs/heads/main",
  GITHUB_SHA: shaOf("b"),
  GITHUB_RUN_ID: "5"
}

describe("the settings", () => {
  it("a flag overrides a variable, which overrides the CI, which overrides git", async () => {
    const { cwd, git } = checkout()
    const flags = { owner: "flag", commit: shaOf("F") }
    const env = { SLIPWAY_OWNER: "variable", SLIPWAY_REPO: "variable", SLIPWAY_PR: "7", SLIPWAY_URL: "http://h" }
    const seen = ({ branch, commit, owner, pr, repo, source, url }: Awaited<ReturnType<typeof settingsOf>>) =>
      [url, owner, repo, branch, commit, pr, source].map(String).join(" ")
    assert.strictEqual(
      seen(await settingsOf(flags, { env: { ...github, ...env }, cwd })),
      `http://h flag variable main ${shaOf("f")} 7 github:5`
    )
    assert.strictEqual(
      seen(await settingsOf({}, { env: github, cwd })),
      `undefined acme app main ${shaOf("b")} undefined github:5`
    )
    assert.strictEqual(
      seen(await settingsOf({}, { env: { SLIPWAY_BRANCH: "" }, cwd })),
      `undefined acme app feature/pay ${git("rev-parse", "HEAD")} undefined undefined`
    )
  })

  it("the checkout says the message and the author of the commit, else the CI does", async () => {
    const { cwd, git } = checkout()
    const ci = { BUILDKITE: "true", BUILDKITE_MESSAGE: "of the CI" }
    const seen = async (commit: string) => {
      const { author, commitMessage, job } = await settingsOf({ commit }, { env: { ...ci, SLIPWAY_JOB: "e2e" }, cwd })
      return [commitMessage, author, job]
    }
    git("commit", "--quiet", "--allow-empty", "--message", "Pay\n\nby card", "--author", "Zoë <zoe@acme.example>")
    assert.deepStrictEqual(await seen(git("rev-parse", "HEAD")), ["Pay\n\nby card", "Zoë", "e2e"])
    assert.deepStrictEqual(await seen(shaOf("b")), ["of the CI", undefined, "e2e"])
  })

  it("the app comes from a flag or a variable alone, and is refused if it is too long or not one line", async () => {
    const { cwd } = checkout()
    const appOf = async (flags: { readonly app?: string }, env: Readonly<Record<string, string>>) =>
      (await settingsOf(flags, { env: { ...github, ...env }, cwd })).app
    assert.deepStrictEqual(
      [
        await appOf({}, {}),
        await appOf({}, { SLIPWAY_APP: " rider\n" }),
        await appOf({ app: "a" }, { SLIPWAY_APP: "b" })
      ],
      [undefined, "rider", "a"]
    )
    for (const app of ["x".repeat(101), "a\nb", "a\0b"]) {
      const error = await appOf({ app }, {}).catch((reason: unknown) => reason)
      assert.match(String(error), /--app \(SLIPWAY_APP\) must be one line of at most 100 characters/)
    }
  })

  it("a given owner is not joined with the name of another repository", async () => {
    const { cwd } = checkout()
    const { owner, repo } = await settingsOf({ owner: "other" }, { env: {}, cwd })
    assert.deepStrictEqual({ owner, repo }, { owner: "other", repo: undefined })
  })

  it.for([
    ["GitHub", (head: string) => `Merge ${head} into ${shaOf("0")}`],
    ["Jenkins", (head: string) => `Merge commit '${head}' into HEAD`]
  ] as const)("of a merge that %s made, the commit is its head", async ([, subject]) => {
    const { cwd, git } = checkout()
    const head = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "--detach")
    git("commit", "--quiet", "--allow-empty", "--message", subject(head))
    const { branch, commit } = await settingsOf({}, { env: {}, cwd })
    assert.deepStrictEqual({ branch, commit }, { branch: undefined, commit: head })
  })

  it("a short hash is completed by the checkout, and one that it doesn't know is refused", async () => {
    const { cwd, git } = checkout()
    const head = git("rev-parse", "HEAD")
    const { commit } = await settingsOf({ commit: head.slice(0, 7) }, { env: {}, cwd })
    assert.strictEqual(commit, head)
    for (const unknown of [head.startsWith("0000") ? "1111111" : "0000000", "HEAD", "--all", "zzz"]) {
      const error = await settingsOf({}, { env: { SLIPWAY_COMMIT: unknown }, cwd }).catch((reason: unknown) => reason)
      assert.match(String(error), /--commit \(SLIPWAY_COMMIT\) must be 40 hexadecimal digits/)
    }
  })

  it("a line break at the end of a secret is removed", async () => {
    const { key, url } = await settingsOf(
      {},
      { env: { SLIPWAY_KEY: "slip_a\n", SLIPWAY_URL: " http://h " }, cwd: folder() }
    )
    assert.deepStrictEqual([key, url], ["slip_a", "http://h"])
  })

  it("a folder without git gives no settings", async () => {
    const { branch, commit, owner, repo } = await settingsOf({}, { env: {}, cwd: folder() })
    assert.deepStrictEqual([owner, repo, branch, commit], [undefined, undefined, undefined, undefined])
  })

  it.for([
    ["git@github.com:acme/app.git", { owner: "acme", repo: "app" }],
    ["https://github.com/acme/app", { owner: "acme", repo: "app" }],
    ["https://token@gitlab.example:8443/acme/mobile/app.git/", { owner: "acme/mobile", repo: "app" }],
    ["ssh://git@bitbucket.org:22/acme/app.name.git", { owner: "acme", repo: "app.name" }],
    ["git@ssh.dev.azure.com:v3/acme/mobile/app", { owner: "acme/mobile", repo: "app" }],
    ["https://acme@dev.azure.com/acme/mobile/_git/app", { owner: "acme/mobile", repo: "app" }],
    ["/srv/git/app.git", {}],
    ["", {}]
  ] as const)("the repository of %s", ([url, repository]) => {
    assert.deepStrictEqual(repositoryOf(url), repository)
  })
})
