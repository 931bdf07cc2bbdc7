/** What `npm pack` makes installs into an empty project and runs there, under plain Node 24, with types. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { freePort } from "../adapters/postgres/testing/freePort.ts"
import { complaints } from "./testing/complaints.ts"
import { env, tarball } from "./testing/project.ts"

const root = join(import.meta.dirname, "..")
const run = promisify(execFile)
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const versionsOf = { ...manifest.dependencies, ...manifest.devDependencies }
let project = ""

const npm = (...args: ReadonlyArray<string>) => run("npm", [...args, "--no-audit", "--no-fund"], { cwd: project, env })

const example = (file: string): string => readFileSync(join(root, "examples", file), "utf8")

const bin = () => join(project, "node_modules/.bin/slipway")

const npx = (args: ReadonlyArray<string>, extra: Record<string, string> = {}) =>
  run("npx", ["slipway", ...args], { cwd: project, env: { ...env, ...extra }, maxBuffer: 2 ** 24 })

/** A host on a data folder of its own until the test ends, and the orders that are given to it. */
const serve = async (data: string) => {
  const child = spawn(process.execPath, [bin(), "serve", "--port", "0", "--json", "--data", data], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [line] = await once(createInterface({ input: child.stdout }), "line")
  const { url }: { readonly url: string } = JSON.parse(String(line))
  const order = async (...args: ReadonlyArray<string>): Promise<{ readonly key?: string }> =>
    JSON.parse((await run(bin(), [...args, "--data", data, "--json"], { cwd: project, env })).stdout)
  return { url, order }
}

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "slipway-packed-"))
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }))
  const extra = ["vitest", "@effect/vitest"]
  const engines = ["@effect/platform-node", "@effect/sql-pg", "@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"]
  const versions = [...extra, ...engines].map((name) => `${name}@${versionsOf[name]}`)
  await npm("install", await tarball(), ...versions)
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

describe("the packed package in an empty project", () => {
  it("holds what runs and the sources of its types, and no tests or demo", async () => {
    const { stdout } = await run(
      "find",
      ["node_modules/slipway", "-type", "f", "-not", "-path", "*/node_modules/*/node_modules/*"],
      {
        cwd: project
      }
    )
    const files = stdout.trim().split("\n")
    assert.include(files, "node_modules/slipway/README.md")
    assert.include(files, "node_modules/slipway/LICENSE")
    assert.include(files, "node_modules/slipway/dist/core/index.d.ts")
    assert.include(files, "node_modules/slipway/dist/api/slipway/core.md")
    assert.deepStrictEqual(
      files.filter((file) => /\.test\.|\/testing\/|\/demo\/|^(?!.*\/dist\/src\/).*(?<!\.d)\.ts$/.test(file)),
      []
    )
  })

  it("imports every subpath", async () => {
    const subpaths = [
      "client",
      "client/effect",
      "core",
      "conformance",
      ...["memory", "embedded", "key-value", "postgres", "sqlite", "s3", "filesystem", "signed-urls"].map(
        (one) => `adapters/${one}`
      )
    ]
    const hosts = ["http", "node", "viewer"].map((one) => `hosts/${one}`)
    const program = [...subpaths, ...hosts].map((path) => `await import("slipway/${path}")`).join("\n")
    await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: project })
  })

  it("type-checks the embedding example against the types that are shipped, and runs it", async () => {
    writeFileSync(join(project, "server.ts"), example("node/server.ts"))
    assert.deepStrictEqual(complaints(project, "server.ts"), [])

    const PORT = String(await freePort())
    const child = spawn(process.execPath, ["server.ts"], {
      cwd: project,
      env: { ...process.env, PORT },
      stdio: ["ignore", "pipe", "inherit"]
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")])
    assert.strictEqual(await (await fetch(`http://127.0.0.1:${PORT}/hello`)).text(), "Hello from the same server\n")
    assert.strictEqual((await fetch(`http://127.0.0.1:${PORT}/openapi.json`)).status, 200)
    assert.include(await (await fetch(`http://127.0.0.1:${PORT}/sign-in`)).text(), "API key")
  })

  it("names every type of an embedder's layers, so that declarations of them can be emitted", () => {
    const file = "declared.ts"
    const services = (
      "AuditEntries Authorization Builds Overview OwnAccount Previews Quarantines RetentionHolds Search Sessions " +
      "ShareLinks TestHistories TestRuns TokenExchange Usage"
    ).split(" ")
    // What each of their methods returns.
    const results = services.flatMap((service) => {
      const types = readFileSync(join(project, `node_modules/slipway/dist/core/service/${service}.d.ts`), "utf8")
      const [, members = ""] =
        new RegExp(`_base: Context.ServiceClass<${service}, "[^"]*", \\{\n([^]*?)\n\\}>`).exec(types) ?? []
      return Array.from(members.matchAll(/^ {4}readonly (\w+): (\(|<)?/gm), ([, name, call]) =>
        call === undefined
          ? `export const ${service}_${name} = core.${service}.use((service) => service.${name})`
          : `export const ${service}_${name} = (...parameters: Parameters<core.${service}["Service"]["${name}"]>) => ` +
            `core.${service}.use((service) => service.${name}(...parameters))`
      )
    })
    writeFileSync(
      join(project, file),
      `import { Config, Effect, Redacted } from "effect"
       import * as embedded from "slipway/adapters/embedded"
       import * as filesystem from "slipway/adapters/filesystem"
       import * as keyValue from "slipway/adapters/key-value"
       import * as memory from "slipway/adapters/memory"
       import * as postgres from "slipway/adapters/postgres"
       import * as s3 from "slipway/adapters/s3"
       import * as signedUrls from "slipway/adapters/signed-urls"
       import * as sqlite from "slipway/adapters/sqlite"
       import { createClient } from "slipway/client"
       import { SlipwayClient } from "slipway/client/effect"
       import * as conformance from "slipway/conformance"
       import * as core from "slipway/core"
       import * as Slipway from "slipway/hosts/http"
       import * as node from "slipway/hosts/node"
       import * as viewer from "slipway/hosts/viewer"
       const [url, secret, file] = ["http://127.0.0.1:3000", Redacted.make("signs URLs"), "slipway.db"]
       declare const store: keyValue.KeyValueStore
       export const engines = embedded.engines({ data: "data", url, secret })
       export const objects = embedded.objects({ directory: "objects" })
       export const inFolder = [filesystem.layer({ directory: "objects" }), embedded.layerMetadata({ file })]
       export const inMemory = memory.engines({ url, secret })
       export const parts = [memory.layer, memory.layerMetadata, memory.layerObjects, memory.routes]
       export const onStore = keyValue.layerMetadata(store)
       export const onPostgres = [postgres.layer, postgres.layerMigrations, postgres.layerSource, postgres.layerTarget]
       export const postgresClient = postgres.layerClient({ url: Redacted.make(url) })
       export const onSqlite = [sqlite.layer, sqlite.layerMigrations, sqlite.layerSource, sqlite.layerTarget]
       export const sqliteClient = sqlite.layerClient({ file })
       export const bucket = [s3.layer({ bucket: "b" }), s3.throughHost({ bucket: "b", url, secret }), s3.servedObjects({ bucket: "b" })]
       export const urls = [signedUrls.SignedUrls.layer({ secret, baseUrl: url }), signedUrls.routes]
       export const pages = viewer.layer({ secret })
       const options = { settings: { url }, ports: engines.ports, routes: engines.routes }
       export const slipway = Slipway.makeSlipway(options)
       export const live = Slipway.layer(options)
       export const configured = Slipway.layerConfig(Config.succeed(options))
       export const mounted = [Slipway.nodeListener(slipway), Slipway.toFastify(slipway), Slipway.toNext(slipway), Slipway.toLambda(slipway)]
       export const others = [Slipway.layerHealth, core.Settings.layer({ url }), core.defaultSettings, core.Api]
       export const host = [node.layerAdministration, node.layerHost, node.layerServer, node.loadSettings]
       export const clients = [createClient({ url, key: "k" }), SlipwayClient.layer({ url, key: Redacted.make("k") })]
       export const checked = Effect.gen(function* () {
         const { config, keys } = yield* conformance.load({ file: "slipway-conformance.json", flags: [] })
         const plan = yield* conformance.plan(conformance.checks, { profiles: config.profiles, only: [], readOnly: true })
         const options = { id: "1", config, keys, plan, expectations: [], onProgress: () => Effect.void }
         return yield* Effect.provide(conformance.run(options), conformance.Transport.layer)
       })
       export const verified = conformance.verify({})
       ${results.join("\n")}
      `
    )
    assert.isAbove(results.length, 60)
    assert.deepStrictEqual(complaints(project, file, { declaration: true }), [])
  })

  it("type-checks the store and the server of examples/storage-adapter", async () => {
    for (const file of ["table.ts", "server.ts"]) writeFileSync(join(project, file), example(`storage-adapter/${file}`))
    // Node runs such imports as they are written; the compiler needs an option.
    const options = { allowImportingTsExtensions: true }
    for (const file of ["table.ts", "server.ts"]) assert.deepStrictEqual(complaints(project, file, options), [])
  })

  it("checks a host for its conformance, by npx, and writes reports that it confirms", async () => {
    const { order, url } = await serve("conformance")
    const scopes = { BUILDS: "builds", PREVIEW_UPLOAD: "preview_upload", TEST_RUNS: "test_runs" }
    const settings: Record<string, string> = { SLIPWAY_CONFORMANCE_URL: url }
    for (const [name, keys] of [
      ["A", { ALL: Object.values(scopes), ...scopes }],
      ["B", { ALL: Object.values(scopes) }]
    ] as const) {
      await order("account", "create", name)
      await order("repo", "link", `${name}/app`, "--account", name)
      settings[`SLIPWAY_CONFORMANCE_${name}_LINKED`] = `${name}/app`
      for (const [which, granted] of Object.entries(keys)) {
        const asked = [granted].flat().flatMap((scope) => ["--scope", scope])
        const { key = "" } = await order("key", "create", "--account", name, "--name", which, ...asked)
        settings[`SLIPWAY_CONFORMANCE_KEY_${name}_${which}`] = key
      }
    }
    const reports = ["--report-json", "report.json", "--report-html", "report.html", "--report-junit", "report.xml"]
    const { stdout } = await npx(["conformance", ...reports], settings)
    assert.match(stdout, /builds +conformant[\s\S]*previews +conformant[\s\S]*test runs +conformant/)
    const written = ["report.json", "report.html", "report.xml"].map((name) =>
      readFileSync(join(project, name), "utf8")
    )
    for (const [name, secret] of Object.entries(settings).filter(([name]) => name.includes("_KEY_"))) {
      for (const text of written) assert.notInclude(text, secret, name)
    }
    assert.include((await npx(["conformance", "verify", "report.json"])).stdout, "Confirmed")
  })

  it("runs the command", async () => {
    const version = await run(process.execPath, [bin(), "--version"], { cwd: project })
    assert.include(version.stdout, JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version)
    const child = spawn(process.execPath, [bin(), "serve", "--port", "0", "--json"], {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit"]
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")])
    const { url } = JSON.parse(String(line))
    assert.strictEqual((await fetch(`${url}/readyz`)).status, 200)
    child.kill("SIGTERM")
    await once(child, "close")
    assert.strictEqual(child.exitCode, 0)
  })

  it("says on an older Node that it needs a newer one", async ({ skip }) => {
    const old = (await nodes()).find(({ version }) => version.startsWith("v20."))
    if (old === undefined) return skip("there is no Node 20 on this machine")
    const error: unknown = await run(old.path, [bin(), "--version"], { cwd: project }).catch((error: unknown) => error)
    assert.include(error, {
      code: 2,
      stderr: `slipway: It needs Node 24 or newer, and this is ${old.version}. slipway-ci runs on Node 20.\n`
    })
  })
})

/** The programs called `node` on this machine, and their versions. */
const nodes = async (): Promise<ReadonlyArray<{ readonly path: string; readonly version: string }>> => {
  const paths = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))
  const found = await Promise.allSettled(
    paths.map(async (path) => ({ path, version: (await run(path, ["--version"])).stdout.trim() }))
  )
  return found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
}

describe("the client of the packed package, with no other package beside it", () => {
  let lone = ""
  beforeAll(() => {
    lone = mkdtempSync(join(tmpdir(), "slipway-client-"))
    const installed = join(project, "node_modules/slipway")
    const withoutPackages = (path: string) => !path.slice(installed.length).includes("node_modules")
    cpSync(installed, join(lone, "node_modules/slipway"), { recursive: true, filter: withoutPackages })
    writeFileSync(join(lone, "package.json"), JSON.stringify({ private: true, type: "module" }))
    writeFileSync(join(lone, "upload.ts"), example("client/upload.ts"))
    // It has no types, so that it is JavaScript too.
    writeFileSync(join(lone, "upload.js"), example("client/upload.ts"))
    mkdirSync(join(lone, "assets"))
    writeFileSync(join(lone, "index.js"), "app()\n")
    writeFileSync(join(lone, "assets/logo.png"), "logo")
    writeFileSync(join(lone, "events.jsonl"), '{"t":0,"type":"step","name":"Open","status":"failed"}\n')
  })
  afterAll(() => rmSync(lone, { recursive: true, force: true }))

  for (const major of ["v24", "v20"]) {
    it(`runs examples/client on Node ${major.slice(1)}`, async ({ skip }) => {
      const node = (await nodes()).find(({ version }) => version.startsWith(`${major}.`))
      if (node === undefined) return skip(`there is no Node ${major.slice(1)} on this machine`)
      const { order, url } = await serve(`client-${major}`)
      await order("account", "create", "acme")
      await order("repo", "link", "acme/app", "--account", "acme")
      const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
      const { key = "" } = await order("key", "create", "--account", "acme", "--name", "ci", ...scopes)
      const { stdout } = await run(node.path, ["upload.js"], {
        cwd: lone,
        env: { ...env, SLIPWAY_URL: url, SLIPWAY_KEY: key, COMMIT: "5ee0d1e5".repeat(5) }
      })
      const [build = "", trace = "", shared = ""] = stdout.trim().split("\n")
      assert.include(build, `${url}/builds/`)
      assert.include(trace, `${url}/runs/`)
      assert.strictEqual((await fetch(shared)).status, 200)
    })
  }

  it("type-checks under the strictest settings, with the types of Node or of the DOM alone", async () => {
    const strictest = {
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: false
    }
    assert.deepStrictEqual(complaints(lone, "upload.ts", strictest), [])
    writeFileSync(
      join(lone, "page.ts"),
      'import { createClient } from "slipway/client"\n' +
        'export const upload = (bundle: Blob) => createClient({ url: "https://x.example", key: "k" })\n' +
        '  .previews.upload({ bundle: { body: bundle, contentType: "text/javascript" } })\n'
    )
    assert.deepStrictEqual(complaints(lone, "page.ts", { ...strictest, types: [] }), [])
  })

  it("is bundled for browsers without anything of Node, in at most 12 kB gzipped", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "slipway/client"', resolveDir: lone },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false
    })
    const [code = ""] = outputFiles.map(({ text }) => text)
    assert.notInclude(code, "node:")
    assert.isAtMost(gzipSync(code, { level: 9 }).byteLength, 12_000)
  })
})
