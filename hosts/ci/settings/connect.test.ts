/** The credential of the program's requests: a key, the identity of the CI, or none. */
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { json } from "node:stream/consumers"
import { assert, describe, it, onTestFinished } from "vitest"
import { runCi } from "../testing/runCi.ts"

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
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
