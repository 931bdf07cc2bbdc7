/** Each recipe of examples/ serves Slipway from the packed package, in a project that npm made and in one that pnpm made. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { Agent, request, type RequestOptions } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { createClient } from "../hosts/client/index.ts"
import manifest from "../package.json" with { type: "json" }
import { env, newProject, tarball } from "./testing/project.ts"

const root = join(import.meta.dirname, "..")
const servers = {
  "@hono/node-server": "2.1.8",
  "@types/express": "5.0.6",
  "@types/node": manifest.devDependencies["@types/node"],
  effect: manifest.devDependencies.effect,
  express: "5.3.0",
  fastify: "5.12.8",
  hono: "4.13.19"
}
/** Other programs that run a server. Both are installed by npm. */
const programs = { bun: "1.4.5", deno: "2.9.6" }

/** Starts a server that prints its URL and a key as its first line, until the test ends. */
const serve = async (folder: string, program: string, args: ReadonlyArray<string>) => {
  const port = createServer().listen(0, "127.0.0.1")
  await once(port, "listening")
  const address = port.address()
  port.close()
  await once(port, "close")
  const PORT = String(typeof address === "object" && address !== null ? address.port : 0)
  const child = spawn(program, args, { cwd: folder, env: { ...env, PORT }, stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")])
  const [url = "", key = ""] = String(line).split(" ")
  return { url, key }
}

const javascript = { body: new Blob(["app()"]), contentType: "text/javascript" }

/** Uploads a build with a file, as a team's CI would. */
const upload = async (server: { readonly url: string; readonly key: string }) => {
  const build = await createClient(server).builds.upload({
    owner: "acme",
    repo: "app",
    branch: "main",
    platform: "ios",
    commitSha: "a".repeat(40),
    bundle: javascript,
    files: [{ path: "strings.json", body: new Blob(['{ "a": 1 }']), contentType: "application/json" }]
  })
  assert.strictEqual(build.status, "ready")
}

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

const projects = {
  npm: newProject({ dependencies: { ...servers, ...programs } }),
  pnpm: newProject({ dependencies: servers })
}
const program = (name: keyof typeof programs) => join(projects.npm.folder, "node_modules/.bin", name)

beforeAll(async () => {
  const archive = await tarball()
  for (const { folder } of Object.values(projects))
    cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true })
  const made = [await projects.npm.npm("install", archive), await projects.pnpm.pnpm("add", archive)]
  for (const { code, text } of made) assert.strictEqual(code, 0, text)
  // Packing and two installs: on a busy machine they take minutes.
})
afterAll(() => {
  for (const { remove } of Object.values(projects)) remove()
})

for (const [manager, project] of Object.entries(projects)) {
  describe(`the recipes in a project of ${manager}`, () => {
    const folder = (name: string) => join(project.folder, "examples", name)

    const commands = {
      hono: () => [process.execPath, "server.ts"],
      express: () => [process.execPath, "server.ts"],
      fastify: () => [process.execPath, "server.ts"],
      bun: () => [program("bun"), "server.ts"],
      deno: () => [program("deno"), "run", "--allow-all", "server.ts"]
    }
    for (const [name, command] of Object.entries(commands)) {
      it(`${name} accepts an upload, reports it ready, and answers its own route`, async () => {
        const [run = "", ...args] = command()
        const server = await serve(folder(name), run, args)
        await upload(server)
        assert.strictEqual((await fetch(`${server.url}/readyz`)).status, 200)
        const own = readFileSync(join(folder(name), "server.ts"), "utf8").includes("/hello")
        assert.strictEqual((await fetch(`${server.url}/hello`)).status, own ? 200 : 404)
      })
    }

    it.each(Object.entries(commands))(
      "%s limits wrong keys of a client, and the connection of a refused body can be used again",
      async (name, command) => {
        const [run = "", ...args] = command()
        const { url } = await serve(folder(name), run, args)
        const headers = { authorization: "Bearer slip_wrong", "content-type": "application/json" }
        const body = new Uint8Array(200_000)
        const refused = { path: "/api/v1/builds", method: "POST", headers, body }
        const asked = [refused, { path: "/healthz" }, { path: "/healthz" }]
        assert.deepStrictEqual(await statusesOf(url, [...asked, ...asked]), [401, 200, 200, 401, 200, 200])
        // Several at once, since the 300 a minute that are allowed come back while a slow machine sends them.
        const wrong = Array.from({ length: 100 }, () => ({ path: "/api/v1/builds/x", headers }))
        const statuses = await Promise.all(Array.from({ length: 8 }, () => statusesOf(url, wrong)))
        assert.include(statuses.flat(), 429)
      }
    )

    it("a route handler of Next accepts an upload", async () => {
      const { code, text } = await project.node(`
        import { createClient } from "slipway/client"
        const lines = []
        console.log = (line) => lines.push(line)
        const route = await import("./examples/next/app/[...slipway]/route.ts")
        const [url, key] = lines[0].split(" ")
        const fetch = (input, init) => {
          const request = new Request(input, init)
          return route[request.method](request)
        }
        const client = createClient({ url, key, fetch })
        const bundle = { body: new Blob(["app()"]), contentType: "text/javascript" }
        const commitSha = "a".repeat(40)
        const asked = { owner: "acme", repo: "app", branch: "main", platform: "ios", commitSha, bundle }
        const { status } = await client.builds.upload(asked)
        // The route has no way to be closed, and sweeps for as long as the process lives.
        process.stdout.write(status, () => process.exit())
      `)
      assert.deepStrictEqual({ code, text }, { code: 0, text: "ready" })
    })

    it("behind express.json() the API works, and a PUT whose bytes are consumed is refused immediately", async () => {
      const text = readFileSync(join(folder("express"), "server.ts"), "utf8")
      writeFileSync(
        join(folder("express"), "parsed.ts"),
        text.replace("express()\n", "express()\napp.use(express.json())\n")
      )
      const server = await serve(folder("express"), process.execPath, ["parsed.ts"])
      const headers = { "content-type": "application/json" }
      const refused = await fetch(`${server.url}/uploads/x`, { method: "PUT", headers, body: '{ "a": 1 }' })
      assert.strictEqual(refused.status, 500)
      assert.include(await refused.text(), "mount Slipway before it")

      const client = createClient(server)
      const commitSha = "b".repeat(40)
      const asked = {
        owner: "acme",
        repo: "app",
        branch: "main",
        platform: "ios",
        commitSha,
        bundle: javascript
      } as const
      assert.strictEqual((await client.builds.upload(asked)).status, "ready")
    })
  })
}

it("the recipes for Node type-check under strict settings", async () => {
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2024",
    skipLibCheck: true,
    noEmit: true,
    types: ["node"]
  }
  const files = globSync("examples/{hono,express,fastify,next}/**/{server,route}.ts", { cwd: projects.npm.folder })
  assert.lengthOf(files, 4)
  writeFileSync(join(projects.npm.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  const tsc = join(root, "node_modules/.bin/tsc")
  const { stdout } = await promisify(execFile)(tsc, ["-p", "."], { cwd: projects.npm.folder })
  assert.strictEqual(stdout, "")
})

it("every recipe has at most forty lines", () => {
  for (const file of globSync("examples/**/*.ts", { cwd: root })) {
    assert.isAtMost(readFileSync(join(root, file), "utf8").trimEnd().split("\n").length, 40, file)
  }
})
