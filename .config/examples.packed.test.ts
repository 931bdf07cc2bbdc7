/** Each recipe of examples/ serves Slipway from the packed package, in a project that npm made: one suite for all of them. */
import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { Agent, request, type RequestOptions } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { freePort } from "../adapters/postgres/testing/freePort.ts"
import { hasS3 } from "../adapters/s3/testing/server.ts"
import { createClient, type Build } from "../hosts/client/index.ts"
import manifest from "../package.json" with { type: "json" }
import { env, newProject, tarball } from "./testing/project.ts"
import { newServers, recipes, strippingProxy, type Recipe } from "./testing/recipes.ts"

const root = join(import.meta.dirname, "..")
const { devDependencies } = manifest
const { folder: projectFolder, ...project } = newProject({
  dependencies: {
    "@aws-sdk/client-s3": devDependencies["@aws-sdk/client-s3"],
    "@aws-sdk/s3-request-presigner": devDependencies["@aws-sdk/s3-request-presigner"],
    "@effect/sql-pg": devDependencies["@effect/sql-pg"],
    "@fastify/compress": "9.2.0",
    "@hono/node-server": "2.1.8",
    "@nestjs/common": "12.5.1",
    "@nestjs/core": "12.5.1",
    "@nestjs/platform-express": "12.5.1",
    "@types/express": "5.0.6",
    "@types/koa": "3.0.3",
    "@types/node": devDependencies["@types/node"],
    "@types/react": "19.3.3",
    bun: "1.4.5",
    compression: "1.8.2",
    deno: "2.9.6",
    effect: devDependencies.effect,
    express: "5.3.0",
    express4: "npm:express@4.22.2",
    fastify: "5.12.8",
    hono: "4.13.19",
    koa: "3.2.1",
    "koa-compress": "5.2.2",
    next: "16.4.6",
    react: "19.3.1",
    "react-dom": "19.3.1",
    "reflect-metadata": "0.2.2",
    rxjs: "7.8.2",
    typescript: devDependencies.typescript,
    workerd: "1.20261117.1"
  }
})
const bin = (name: string) => join(projectFolder, "node_modules/.bin", name)
const run = promisify(execFile)

beforeAll(async () => {
  const { code, text } = await project.npm("install", await tarball())
  assert.strictEqual(code, 0, text)
  // Packing and the install: on a busy machine they take minutes.
})
afterAll(project.remove)

/** Sends requests one after the other on one connection, and answers their statuses. */
const statusesOf = async (url: string, requests: ReadonlyArray<RequestOptions & { readonly body?: Uint8Array }>) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statuses: Array<number | undefined> = []
  for (const { body, path, ...options } of requests) {
    const [answer] = await once(request(url + path, { agent, ...options }).end(body), "response")
    statuses.push(answer.statusCode)
    await once(answer.resume(), "end")
  }
  agent.destroy()
  return statuses
}

const bundle = { body: new Blob(["app()"]), contentType: "text/javascript" }
const described = { owner: "acme", repo: "app", branch: "main", platform: "ios", commitSha: "a".repeat(40) } as const

/** The file that a recipe shares with others. */
const commonOf = ({ isServerless }: Recipe): string =>
  join(root, "examples", isServerless === true ? "serverless" : ".", "slipway.ts")

/** A recipe in a folder of its own, behind a proxy that removes the path of its URL. */
const installed = async (
  name: string,
  recipe: Recipe,
  after: (close: () => unknown) => void,
  folder = join(projectFolder, name)
) => {
  cpSync(join(root, "examples", recipe.folder ?? name), folder, { recursive: true })
  if (recipe.compress !== undefined) {
    const server = join(folder, "server.ts")
    writeFileSync(server, recipe.compress(readFileSync(server, "utf8")))
  }
  const impatient = readFileSync(commonOf(recipe), "utf8").replace(
    "makeSlipway({",
    'makeSlipway({ shutdownTimeout: "1 second",'
  )
  writeFileSync(join(folder, "slipway.ts"), impatient)
  await recipe.prepare?.(folder)
  const port = await freePort()
  const server = `http://127.0.0.1:${port}`
  const url =
    recipe.isMounted === true ? `${server}/slipway` : `http://127.0.0.1:${await strippingProxy(port, after)}/slipway`
  /** Where Slipway answers without the proxy. */
  const origin = recipe.isMounted === true ? url : server
  const settings = {
    ...env,
    ...(recipe.isServerless === true ? await newServers(after) : {}),
    ...(await recipe.platform?.(port, after)),
    PORT: String(port),
    SLIPWAY_DATA: "slipway-data",
    SLIPWAY_SECRET: "a secret of at least thirty-two characters",
    SLIPWAY_URL: url
  }
  const order = async (...args: ReadonlyArray<string>): Promise<{ readonly key: string }> =>
    JSON.parse((await run(bin("slipway"), [...args, "--json"], { cwd: folder, env: settings })).stdout)
  const issued = async (): Promise<string> => {
    await order("account", "create", "acme")
    await order("repo", "link", "acme/app", "--account", "acme")
    return (await order("key", "create", "--account", "acme", "--name", "ci", "--scope", "builds")).key
  }
  const given = recipe.setUp === undefined ? await issued() : undefined
  if (recipe.build !== undefined) {
    const [program = "", ...args] = recipe.build
    await run(bin(program), args, { cwd: folder, env: settings })
  }
  const lines: Array<string> = []
  const start = async (): Promise<ChildProcess> => {
    const [program, ...args] = recipe.command(bin, port)
    const child = spawn(program, args, { cwd: folder, env: settings, stdio: ["ignore", "pipe", "inherit"] })
    after(() => child.kill("SIGKILL"))
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
    while (
      !(await fetch(`${origin}/healthz`).then(
        ({ ok }) => ok,
        () => false
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${lines.join("\n")}`)
      await setTimeout(50)
    }
    return child
  }
  const first = await start()
  const key = given ?? (await (await fetch(origin + recipe.setUp)).text())
  return { client: createClient({ url, key }), first, key, lines, origin, server, settings, start, url }
}

/** Functions use a bucket of Ceph 16, which is safe for uploads only behind the example of a proxy. */
const hasBucket = hasS3 && spawnSync("which", ["caddy"]).status === 0

describe.each(Object.entries(recipes).filter(([, { isServerless }]) => hasBucket || isServerless !== true))(
  "the recipe for %s",
  (name, recipe) => {
    const closing: Array<() => unknown> = []
    let host: Awaited<ReturnType<typeof installed>>
    let server: ChildProcess
    let build: Build
    beforeAll(async () => {
      host = await installed(name, recipe, (close) => closing.push(close))
      server = host.first
    })
    afterAll(() => Promise.all(closing.toReversed().map((close) => close())))

    it("accepts an upload below a path that a proxy removes", async () => {
      build = await host.client.builds.upload({
        ...described,
        bundle,
        files: [{ path: "strings.json", body: new Blob(['{ "a": 1 }']), contentType: "application/json" }]
      })
      assert.include(build, { status: "ready", url: `${host.url}/builds/${build.id}` })
    })

    it("serves its pages below this path without a proxy too, and its script", async () => {
      const body = new URLSearchParams({ key: host.key, to: `/builds/${build.id}` })
      const base = `${host.server}/slipway`
      const signedIn = await fetch(`${base}/sign-in`, { method: "POST", body, redirect: "manual" })
      assert.strictEqual(signedIn.headers.get("location"), `/slipway/builds/${build.id}`)
      const [cookie = ""] = signedIn.headers.getSetCookie()
      assert.include(cookie, "Path=/slipway;")
      const page = await fetch(`${base}/builds/${build.id}`, { headers: { cookie: cookie.split(";")[0] ?? "" } })
      const html = await page.text()
      const [, script = ""] = /<script type="module" src="(\/slipway\/[^"]+)"/.exec(html) ?? []
      assert.deepStrictEqual([page.status, html.includes("strings.json")], [200, true])
      assert.strictEqual((await fetch(host.server + script)).status, 200)
      const [app = ""] = /\/slipway\/replay\/[\w.-]+\//.exec(html) ?? []
      const framed = { redirect: "manual", headers: { "sec-fetch-dest": "iframe" } } as const
      assert.strictEqual(
        (await fetch(host.server + app, framed)).status,
        200,
        "the running app, at a path that ends in a slash"
      )
      const { servers } = await (await fetch(`${base}/openapi.json`)).json()
      assert.deepStrictEqual(servers, [{ url: host.url }])
    })

    it.skipIf(recipe.isBuffered)("sends events to open pages at once, and leaves pages uncompressed", async () => {
      const base = `${host.server}/slipway`
      const body = new URLSearchParams({ key: host.key, to: "/" })
      const signedIn = await fetch(`${base}/sign-in`, { method: "POST", body, redirect: "manual" })
      const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
      const headers = { cookie, "accept-encoding": "gzip, deflate, br" }
      const { body: events, headers: sent } = await fetch(`${base}/changes`, { headers })
      const reader = events?.getReader()
      assert.match(new TextDecoder().decode((await reader?.read())?.value), /^retry: \d+/)
      await reader?.cancel()
      assert.deepStrictEqual(
        ["content-type", "cache-control", "content-encoding"].map((name) => sent.get(name)),
        ["text/event-stream", "no-store, no-transform", null]
      )
      // Only Slipway knows whether another site may have caused the request (hosts/http/compression.ts).
      const page = await fetch(`${base}/builds/${build.id}`, { headers })
      assert.deepStrictEqual([page.status, page.headers.get("content-encoding")], [200, null])
      if (recipe.compress === undefined || recipe.isMounted === true) return
      const own = await fetch(`${host.origin}/hello`, { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(own.headers.get("content-encoding"), "gzip", "the compression is on")
    })

    it("limits wrong keys of a client, by its address", async () => {
      // Several at once, since the 300 a minute that are allowed come back while a slow machine sends them.
      const headers = { authorization: "Bearer slip_wrong" }
      const wrong = Array.from({ length: 100 }, () => ({ path: "/api/v1/builds/x", headers }))
      const statuses = await Promise.all(Array.from({ length: 8 }, () => statusesOf(host.origin, wrong)))
      assert.include(statuses.flat(), 429)
    })

    it("keeps the connection of a body that is too large", async () => {
      const headers = { "content-type": "application/json" }
      const large = { path: "/api/v1/token-exchange", method: "POST", headers, body: new Uint8Array(200_000) }
      const asked = [large, { path: "/healthz" }, { path: "/healthz" }]
      assert.deepStrictEqual(await statusesOf(host.origin, [...asked, ...asked]), [413, 200, 200, 413, 200, 200])
    })

    it("reports events to its function", async () => {
      if (recipe.tasks !== undefined) {
        const headers = { authorization: `Bearer ${host.settings["CRON_SECRET"]}` }
        assert.isTrue(await (await fetch(host.origin + recipe.tasks, { headers })).json())
      }
      while (!host.lines.includes("build.ready")) await setTimeout(50)
    })

    it("stops during a PUT that stalls, and has the upload after a restart", async () => {
      const { slots } = await host.client.builds.reserve({
        ...described,
        commitSha: "b".repeat(40),
        contentHash: "0".repeat(64),
        bundleSizeBytes: 1000,
        bundleContentType: "text/javascript"
      })
      const at = new URL(slots.bundle.putUrl)
      if (recipe.isServerless !== true) at.host = new URL(host.origin).host
      const stalled = request(at, {
        method: "PUT",
        headers: { "content-type": "text/javascript", "content-length": 1000 }
      })
      stalled.on("error", () => undefined).write("app()")
      assert.deepStrictEqual(await statusesOf(host.origin, [{ path: "/healthz" }]), [200])
      const ended = once(server, "close")
      server.kill("SIGTERM")
      await ended
      stalled.destroy()
      server = await host.start()
      assert.deepStrictEqual(await host.client.builds.read(build.id), build)
    })
  }
)

it("express.json() before the recipe: the API works, and a PUT whose bytes are consumed is refused immediately", async () => {
  const closing: Array<() => unknown> = []
  const parsing: Recipe = {
    ...recipes["express"]!,
    prepare: (folder) => {
      const file = join(folder, "server.ts")
      writeFileSync(file, readFileSync(file, "utf8").replace("express()\n", "express()\napp.use(express.json())\n"))
    }
  }
  const host = await installed("express", parsing, (close) => closing.push(close), join(projectFolder, "parsed"))
  onTestFinished(() => Promise.all(closing.map((close) => close())))
  const headers = { "content-type": "application/json" }
  const refused = await fetch(`${host.url}/uploads/x`, { method: "PUT", headers, body: '{ "a": 1 }' })
  assert.strictEqual(refused.status, 500)
  assert.include(await refused.text(), "mount Slipway before it")
  assert.include(await host.client.builds.upload({ ...described, bundle }), { status: "ready" })
})

it("next dev: after a hot reload, the new Slipway has the data of the one before", async () => {
  const closing: Array<() => unknown> = []
  onTestFinished(() => Promise.all(closing.toReversed().map((close) => close())))
  const { build: _, ...next } = recipes["next"]!
  const dev: Recipe = {
    ...next,
    command: (bin, port) => [process.execPath, bin("next"), "dev", "--hostname", "127.0.0.1", "--port", String(port)]
  }
  const folder = join(projectFolder, "reloaded")
  const { client, first, lines } = await installed("next", dev, (close) => closing.push(close), folder)
  const build = await client.builds.upload({ ...described, bundle })
  const file = join(folder, "slipway.ts")
  writeFileSync(file, readFileSync(file, "utf8").replace("console.log(type)", 'console.log("reloaded", type)'))
  // The data of the first one, by requests that the second one answers.
  while (!lines.includes("reloaded build.ready")) {
    const { id } = await client.builds.upload({ ...described, bundle })
    assert.strictEqual(id, build.id)
  }
  // The server is a child of this process, which ends it.
  const ended = once(first, "close")
  first.kill("SIGTERM")
  await ended
})

it("a project of pnpm runs the example, on the newest effect that the package allows", async () => {
  const own = newProject({ dependencies: { effect: manifest.peerDependencies.effect } })
  onTestFinished(own.remove)
  const { code, text } = await own.pnpm("add", await tarball())
  assert.strictEqual(code, 0, text)
  cpSync(join(root, "examples/node/server.ts"), join(own.folder, "server.ts"))
  const PORT = String(await freePort())
  const child = spawn(process.execPath, ["server.ts"], {
    cwd: own.folder,
    env: { ...env, PORT },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")])
  const [docs = "", key = ""] = String(line).split(" ")
  const client = createClient({ url: docs.replace(/\/docs$/, ""), key })
  assert.include(await client.builds.upload({ ...described, bundle }), { status: "ready" })
})

it("the recipes type-check under strict settings", async () => {
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2024",
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ["node"]
  }
  const names = ["express", "fastify", "hono", "koa", "lambda", "nest", "vercel"]
  for (const name of names) {
    const folder = join(projectFolder, "checked", name)
    cpSync(join(root, "examples", name), folder, { recursive: true })
    cpSync(commonOf(recipes[name]!), join(folder, "slipway.ts"))
  }
  const files = globSync("checked/**/*.ts", { cwd: projectFolder })
  assert.lengthOf(files, 15)
  writeFileSync(join(projectFolder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  const { stdout } = await run(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: projectFolder }).catch(
    (failed) => failed
  )
  assert.strictEqual(stdout, "")
})

it("every recipe has at most forty lines", () => {
  for (const file of globSync("examples/**/*.ts", { cwd: root })) {
    assert.isAtMost(readFileSync(join(root, file), "utf8").trimEnd().split("\n").length, 40, file)
  }
})
