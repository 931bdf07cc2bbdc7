/** The precedence of settings, and the values from a git checkout. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it, onTestFinished } from "vitest"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import { selfSigned } from "../../../conformance/fair/hosts.ts"
import { runCi } from "../testing/runCi.ts"
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

// The credential of the program's requests: a key, the identity of the CI, or none.

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  onTestFinished(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${await listen(server)}`
}

const problem = (code: string, status: number) =>
  JSON.stringify({ type: `urn:slipway:problem:${code}`, title: code, status, code, detail: "From the emulated host." })

/** An emulation of GitHub's tokens and of a host, which exchanges one and lists no runs; and the requests to them. */
const emulated = async (answers: ReadonlyArray<"key" | "unauthorized" | "unavailable">) => {
  const asked: Array<string> = []
  const left = [...answers]
  let tokens = 0
  const host = await serve(async (request, response) => {
    asked.push(
      `${request.method} ${(request.url ?? "").replace(/\?.*/, "")} as ${request.headers.authorization ?? "nobody"}`
    )
    if (request.method === "GET") return void response.end(JSON.stringify({ testRuns: [] }))
    asked.push(JSON.stringify(await json(request)))
    const answer = left.shift()
    if (answer === "key") return void response.writeHead(201).end(JSON.stringify({ key: `slip_${"k".repeat(46)}` }))
    const status = answer === "unauthorized" ? 401 : 503
    response.writeHead(status, { "retry-after": "0", "content-type": "application/problem+json" })
    response.end(problem(answer ?? "internal", status))
  })
  const github = await serve((request, response) => {
    asked.push(
      `token for ${new URL(request.url ?? "", host).searchParams.get("audience")} as ${request.headers.authorization}`
    )
    tokens += 1
    response.end(JSON.stringify({ value: `jwt-${tokens}` }))
  })
  const env = {
    SLIPWAY_URL: `${host}/`,
    SLIPWAY_OWNER: "acme",
    SLIPWAY_REPO: "app",
    SLIPWAY_SOURCE: "github:1",
    ACTIONS_ID_TOKEN_REQUEST_URL: `${github}/token?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token"
  }
  const ci = (more: Readonly<Record<string, string>> = {}) =>
    runCi(["comment", "--format", "markdown"], { env: { ...env, ...more } })
  return { asked, ci, host }
}

describe("without a key", () => {
  /** What a report asks for. */
  const asks = ["GET /api/v1/sources/github%3A1", "GET /api/v1/test-runs", "GET /api/v1/sources/github%3A1"]

  it("the identity of the CI is exchanged for one, by a token for the host alone; a new one when that has to be repeated", async () => {
    const { asked, ci, host } = await emulated(["unavailable", "key"])
    const { code, err, out } = await ci()
    assert.strictEqual(code, 0, err)
    assert.include(out, "no test results")
    assert.deepStrictEqual(asked, [
      `token for ${host} as Bearer request-token`,
      "POST /api/v1/token-exchange as nobody",
      `{"token":"jwt-1","repository":"acme/app"}`,
      `token for ${host} as Bearer request-token`,
      "POST /api/v1/token-exchange as nobody",
      `{"token":"jwt-2","repository":"acme/app"}`,
      ...asks.map((ask) => `${ask} as Bearer slip_${"k".repeat(46)}`)
    ])
  })

  it("a given key is used, and no token is requested", async () => {
    const { asked, ci } = await emulated([])
    assert.strictEqual((await ci({ SLIPWAY_KEY: "slip_told" })).code, 0)
    assert.deepStrictEqual(
      asked,
      asks.map((ask) => `${ask} as Bearer slip_told`)
    )
  })

  it("a host that doesn't trust the repository: the command that fixes it", async () => {
    const { ci } = await emulated(["unauthorized"])
    const { code, err } = await ci()
    assert.strictEqual(code, 3)
    assert.include(err, "slipway repo trust acme/app --github")
    assert.notInclude(err, "jwt-")
  })

  it("a fork gets a warning of one line, and continues", async () => {
    const none = { ACTIONS_ID_TOKEN_REQUEST_URL: "", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "" }
    const fork = { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "pull_request", GITHUB_ACTOR: "dependabot[bot]" }
    const { asked, ci } = await emulated([])
    const { code, err, out } = await ci({ ...none, ...fork })
    assert.deepStrictEqual({ code, out, asked }, { code: 0, out: "", asked: [] })
    assert.match(err, /^slipway-ci: Nothing was sent: a pull request from a fork[^\n]*$/)
    const own = await ci(none)
    assert.strictEqual(own.code, 2)
    assert.include(own.err, "SLIPWAY_KEY")
    const gitlab = await ci({ ...none, GITLAB_CI: "true" })
    assert.include(gitlab.err, `needs no key, but id_tokens: { SLIPWAY_ID_TOKEN: { aud: "http://`)
  })
})

describe("a host whose certificate is refused", () => {
  const day = 86_400_000
  for (const [what, name, from, isTrusted, hint] of [
    ["has expired", "localhost", 9, true, "renew its certificate"],
    ["is for another name", "other.example", 1, true, "The certificate is for another name"],
    ["is from an unknown authority", "localhost", 1, false, "name its file in NODE_EXTRA_CA_CERTS"]
  ] as const) {
    it(`because it ${what}: the hint says what to do`, async () => {
      const now = Date.now()
      const tls = selfSigned(name, new Date(now - from * day), new Date(now - from * day + 2 * day))
      const usual = getCACertificates("default")
      if (isTrusted) setDefaultCACertificates([...usual, tls.cert])
      onTestFinished(() => setDefaultCACertificates(usual))
      const server = createHttpsServer(tls)
      onTestFinished(() => void server.close())
      const env = { SLIPWAY_URL: `https://localhost:${await listen(server)}`, SLIPWAY_KEY: "slip_told" }
      const asked = ["comment", "--format", "markdown", "--owner", "acme", "--repo", "app", "--source", "local:1"]
      const { code, err } = await runCi(asked, { env })
      assert.strictEqual(code, 3, err)
      assert.include(err, hint)
    })
  }
})
