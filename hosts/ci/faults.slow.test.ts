/**
 * The program on its way through a host that fails, and on a machine whose clock is wrong: it completes, and stores
 * nothing twice. The host is the published program, and so is what is run.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { constants } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it, onTestFinished } from "vitest"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { serve, slipwayJson, temporaryFolder, type RunningHost } from "../cli/testing/slipway.ts"
import { createClient } from "../client/index.ts"
import { startForwardProxy } from "./testing/forwardProxy.ts"
import { refuse, startFaultProxy, type Behaviour } from "../client/testing/front.ts"

const run = promisify(execFile)
const main = join(import.meta.dirname, "main.ts")
const detox = join(import.meta.dirname, "import/detox/fixtures")

/** A host behind a front, with an account, and the program that knows of the front alone. */
const started = async () => {
  const data = temporaryFolder()
  await slipwayJson(["account", "create", "acme", "--data", data])
  await slipwayJson(["repo", "link", "acme/app", "--account", "acme", "--data", data])
  const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
  const made = await slipwayJson(["key", "create", "--account", "acme", "--name", "ci", ...scopes, "--data", data])
  const key = String(Reflect.get(Object(made), "key"))
  const host = await serve(["--port", "0", "--data", data])
  const url = host.line.split(" ").at(-1) ?? ""
  const front = await startFaultProxy(url)
  onTestFinished(() => front.close())
  const env = {
    PATH: process.env["PATH"],
    SLIPWAY_URL: front.url,
    SLIPWAY_KEY: key,
    SLIPWAY_OWNER: "acme",
    SLIPWAY_REPO: "app",
    SLIPWAY_BRANCH: "main",
    SLIPWAY_COMMIT: "ab".repeat(20),
    SLIPWAY_SOURCE: "github:1"
  }
  const ci = async (
    args: ReadonlyArray<string>,
    more: { readonly env?: object; readonly node?: ReadonlyArray<string>; readonly killedBy?: AbortSignal } = {}
  ) => {
    const { stdout } = await run(process.execPath, [...(more.node ?? []), main, ...args], {
      env: { ...env, ...more.env },
      signal: more.killedBy,
      killSignal: "SIGKILL"
    })
    return stdout.trim()
  }
  return { ci, client: createClient({ url, key }), data, front, host, port: new URL(url).port, key }
}

const runs = async ({ client }: Awaited<ReturnType<typeof started>>) =>
  (await client.testRuns.list({ org: "acme", repo: "app", source: "github:1", limit: 100 })).testRuns

const importDetox = ["import", "detox", join(detox, "results.json"), "--artifacts", join(detox, "artifacts")]

describe("an upload that is killed", () => {
  it("sends all of its 300 objects again, as bytes of an upload that was never finalized are not reused", async () => {
    const { ci, client, front } = await started()
    const folder = temporaryFolder()
    writeFileSync(join(folder, "main.jsbundle"), "console.log('it runs')")
    for (let nth = 1; nth < 300; nth += 1) writeFileSync(join(folder, `${nth}.txt`), `the file of place ${nth}\n`)
    const killed = new AbortController()
    let waiting = 0
    // Once as many PUTs wait as are sent at the same time, those before them are done.
    const wait: Behaviour = () => {
      waiting += 1
      if (waiting === 4) killed.abort()
    }
    front.next("PUT", ...Array.from({ length: 203 }, () => front.pass), ...Array.from({ length: 4 }, () => wait))
    const upload = ["upload", "build", folder, "--platform", "ios"]
    await ci(upload, { killedBy: killed.signal }).then(
      () => assert.fail("it was not killed"),
      () => {}
    )
    const puts = () => front.asked.filter(({ call }) => call.startsWith("PUT")).length
    const before = puts()
    assert.strictEqual(before, 207)

    await ci(upload)
    assert.isAtLeast(puts() - before, 300)
    const { files, status } = await client.builds.latest({ owner: "acme", repo: "app", branch: "main" })
    assert.deepStrictEqual({ files: files.length, status }, { files: 299, status: "ready" })
  })
})

describe("a host that fails", () => {
  it("is killed in the middle and restarted: the program waits for it, and each test is there once", async () => {
    const clean = await started()
    await clean.ci(importDetox)
    const expected = (await runs(clean)).map(({ name, status }) => `${name} ${status}`).toSorted()

    const all = await started()
    const { ci, data, front, host, port } = all
    let restarted: Promise<RunningHost> | undefined
    // When the third body comes, the host is killed, and only then started again.
    const kill: Behaviour = (request) => {
      request.socket.destroy()
      restarted ??= host.stop("SIGKILL").then(() => serve(["--port", port, "--data", data]))
    }
    front.next("PUT", refuse(500), refuse(500), kill)
    await ci(importDetox)
    await restarted
    assert.isDefined(restarted)
    assert.deepStrictEqual((await runs(all)).map(({ name, status }) => `${name} ${status}`).toSorted(), expected)
  })

  it("is reached through HTTP_PROXY alone, and directly with NO_PROXY", async () => {
    const { ci, front } = await started()
    const { url, used } = await startForwardProxy()
    await ci(["tests"], { env: { HTTP_PROXY: url, NO_PROXY: "127.0.0.1" } })
    assert.deepStrictEqual([...used], [])
    const { port } = new URL(front.url)
    await ci(importDetox, { env: { HTTP_PROXY: url, SLIPWAY_URL: `http://localhost:${port}` } })
    // The URLs of PUTs have the address of the front.
    assert.sameMembers([...used.keys()], [`localhost:${port}`, `127.0.0.1:${port}`])
  })

  it.for([
    ["five minutes ahead", 300_000],
    ["five minutes behind", -300_000]
  ] as const)("knows another time than the machine, which is %s: done, and nothing twice", async ([, ms]) => {
    const all = await started()
    const shifted = {
      node: ["--import", join(import.meta.dirname, "../cli/testing/shiftedClock.ts")],
      env: { SHIFTED_CLOCK_MS: String(ms) }
    }
    await all.ci(importDetox, shifted)
    const first = await runs(all)
    assert.isNotEmpty(first)
    await all.ci(importDetox)
    assert.deepStrictEqual(await runs(all), first)
    assert.include(await all.ci(["comment", "--format", "markdown"], shifted), `All ${first.length} runs`)
  })
})

describe("a signal", () => {
  /** A host that accepts connections and never answers. */
  const hanging = async () => {
    const server = createServer()
    onTestFinished(() => void server.close())
    return { server, url: `http://127.0.0.1:${await listen(server)}` }
  }
  const results = join(detox, "results.json")

  it.for(
    (["SIGINT", "SIGTERM"] as const).flatMap((signal) =>
      [
        ["import", "detox", results],
        ["upload", "preview", results],
        ["comment", "--format", "markdown"],
        ["tests"]
      ].map((args) => [signal, args] as const)
    )
  )("%s ends %j, which waits for a host", async ([signal, args]) => {
    const { server, url } = await hanging()
    const env = { PATH: process.env["PATH"], SLIPWAY_URL: url, SLIPWAY_KEY: `slip_${"a".repeat(40)}` }
    const of = { SLIPWAY_OWNER: "acme", SLIPWAY_REPO: "app", SLIPWAY_SOURCE: "github:1", SLIPWAY_BRANCH: "main" }
    const program = spawn(process.execPath, [main, ...args], { env: { ...env, ...of }, stdio: "ignore" })
    await once(server, "connection")
    program.kill(signal)
    assert.deepStrictEqual(await once(program, "exit"), [128 + constants.signals[signal], null])
  })

  it("is not needed where a CI names a FIFO that nobody writes to", async () => {
    const fifo = join(temporaryFolder(), "event.json")
    execFileSync("mkfifo", [fifo])
    const env = { PATH: process.env["PATH"], GITHUB_ACTIONS: "true", GITHUB_EVENT_PATH: fifo }
    const program = spawn(process.execPath, [main, "import", "detox", results, "--dry-run"], { env, stdio: "ignore" })
    assert.deepStrictEqual(await once(program, "exit"), [0, null])
  })
})
