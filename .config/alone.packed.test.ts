/** The packed package alone in a project: its size, its messages about absent packages, and its content. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { agentProtocol, driver, oidcClient, platform, sdk } from "../adapters/optionalPackages.ts"
import { env, newProject, tarball } from "./testing/project.ts"

import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")
const bin = (name: string) => join(root, "node_modules/.bin", name)

describe("the packed package alone in a project", () => {
  const project = newProject()
  const own = join(project.folder, "node_modules/slipway")
  beforeAll(async () => {
    const installed = await project.npm("install", await tarball())
    assert.strictEqual(installed.code, 0, installed.text)
  })
  afterAll(project.remove)

  it("has at most 81 MB with its dependencies, and no engine", () => {
    const installed = join(project.folder, "node_modules")
    const sizes = globSync("**/*", { cwd: installed }).map((file) => statSync(join(installed, file)))
    const bytes = sizes.filter((one) => one.isFile()).reduce((sum, { size }) => sum + size, 0)
    console.log(`a memory-only embedder installs ${(bytes / 1e6).toFixed(1)} MB`)
    assert.isAtMost(bytes, 81e6)
    assert.deepStrictEqual(globSync("{@aws-sdk,@effect,@redis,**/node_modules/effect}", { cwd: installed }), [])
  })

  it("embeds the service on memory, with its health, and counts in the registry that is given", async () => {
    const { code, text } = await project.node(`
      import { Layer, Metric, Redacted } from "effect"
      import { PrometheusMetrics } from "effect/observability"
      import * as memory from "slipway/adapters/memory"
      import { layerHealth, makeSlipway } from "slipway/hosts/http"
      const url = "http://127.0.0.1:3000"
      const { ports, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
      const registry = new Map()
      const slipway = makeSlipway({
        settings: { url },
        ports: Layer.merge(ports, Layer.succeed(Metric.MetricRegistry, registry)),
        routes: Layer.mergeAll(routes, layerHealth, PrometheusMetrics.layerHttp())
      })
      const ready = await slipway.fetch(new Request(url + "/readyz"))
      console.log(ready.status, await ready.text())
      console.log(Array.from(registry.values(), ({ id, attributes }) => [id, attributes.route, attributes.status].join(" ")).join())
      const shown = await slipway.fetch(new Request(url + "/metrics"))
      console.log(shown.status, (await shown.text()).split("\\n").find((line) => line.startsWith("slipway_http_requests_total{")))
      await slipway.dispose()
    `)
    assert.deepStrictEqual(
      { code, text },
      {
        code: 0,
        text: [
          '200 {"status":"ready"}',
          "slipway_http_requests_total /readyz 200",
          '200 slipway_http_requests_total{method="GET",route="/readyz",status="200"} 1',
          ""
        ].join("\n")
      }
    )
  })

  it("names the command that installs the package which an engine or a host lacks", async () => {
    const { text } = await project.node(`
      import { Effect, Layer, Redacted } from "effect"
      import { Transport } from "slipway/conformance"
      import * as postgres from "slipway/adapters/postgres"
      import * as s3 from "slipway/adapters/s3"
      import * as node from "slipway/hosts/node"
      const url = Redacted.make("postgres://localhost/slipway")
      for (const layer of [
        postgres.layerClient({ url }), s3.layer({ bucket: "b" }), node.layerHost({}), Transport.layer
      ]) await Effect.runPromise(Effect.scoped(Layer.build(layer))).catch((error) => console.log(error.message))
    `)
    const commands = Array.from(text.matchAll(/npm i (.*)/g), ([, packages]) => packages)
    const of = (packages: ReadonlyArray<string>) => packages.join(" ")
    assert.deepStrictEqual(commands, [driver, sdk, platform, platform].map(of), text)
  })

  it("names versions that its own tests run with, and that its peers allow", () => {
    const tested = new Map<string, string>(Object.entries(manifest.devDependencies))
    const allowed = new Map<string, string>(Object.entries(manifest.peerDependencies))
    for (const one of [
      ...driver,
      ...sdk,
      ...oidcClient,
      ...agentProtocol,
      ...platform,
      `effect@${manifest.devDependencies.effect}`
    ]) {
      const at = one.lastIndexOf("@")
      const [name, version] = [one.slice(0, at), one.slice(at + 1)]
      assert.strictEqual(tested.get(name), version, name)
      assert.include([version, `~${version}`, `^${version}`], allowed.get(name), name)
    }
  })

  it("runs the command by npx, on the engines and with the API reference and programs that it carries", async () => {
    const child = spawn("npx", ["slipway", "serve", "--port", "0", "--json"], {
      cwd: project.folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"]
    })
    // npx starts a shell that starts the command: they are one group of processes.
    onTestFinished(() => void (child.pid !== undefined && process.kill(-child.pid, "SIGKILL")))
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")])
    const { url }: { readonly url: string } = JSON.parse(String(line))
    assert.strictEqual((await fetch(`${url}/readyz`)).status, 200)
    assert.include(await (await fetch(`${url}/docs`)).text(), "/api/v1/builds/{id}")
    const { code, text } = await project.npx("--yes", `${url}/cli/slipway-ci.tgz`, "--version")
    assert.deepStrictEqual({ code, text }, { code: 0, text: `${manifest.version}\n` })
  })

  it("has no dead relative link", () => {
    const dead = globSync("**/*.md", { cwd: own }).flatMap((page) =>
      Array.from(readFileSync(join(own, page), "utf8").matchAll(/\]\(([^)#\s]+)/g), ([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(own, dirname(page), target)))
        .map((target) => `${page}: ${target}`)
    )
    assert.include(globSync("**/*.md", { cwd: own }), "README.md")
    assert.deepStrictEqual(dead, [])
  })

  it("has the pages that its documents name", () => {
    const pages = ["README.md", ...globSync("docs/*.md", { cwd: own })]
    const named = pages.flatMap((page) =>
      Array.from(readFileSync(join(own, page), "utf8").matchAll(/`([\w./-]+\/[\w-]+\.md)`/g), ([, name = ""]) => name)
    )
    assert.include(named, "hosts/viewer/trace/README.md")
    assert.deepStrictEqual(
      named.filter((name) => !existsSync(join(own, name))),
      []
    )
  })

  it("leads from each type to its source, which no map repeats", () => {
    const maps = globSync("dist/**/*.d.ts.map", { cwd: own })
    assert.include(maps, "dist/core/index.d.ts.map")
    for (const file of maps) {
      const map: { readonly sources: ReadonlyArray<string> } = JSON.parse(readFileSync(join(own, file), "utf8"))
      assert.notProperty(map, "sourcesContent", file)
      for (const source of map.sources)
        assert.isTrue(existsSync(join(own, dirname(file), source)), `${file}: ${source}`)
    }
    const types = globSync("dist/**/*.d.ts", { cwd: own })
    assert.sameMembers(
      maps,
      types.map((file) => `${file}.map`)
    )
  })

  it("passes publint and arethetypeswrong", async () => {
    const run = promisify(execFile)
    assert.include((await run(bin("publint"), ["--strict", await tarball()])).stdout, "All good!")
    // Exits with another code than 0 when an entry point can't be imported or typed.
    const { stdout } = await run(bin("attw"), [await tarball(), "--profile", "esm-only", "--no-color"])
    assert.include(stdout, '"slipway/core"')
  })
})

describe("another version of effect beside the packed package", () => {
  const project = newProject()
  afterAll(project.remove)

  it("is an error of npm's install", async () => {
    const { code, text } = await project.npm("install", "effect@4.0.6", await tarball(), "--dry-run")
    assert.notStrictEqual(code, 0)
    assert.match(text, /peer effect@"~4\.1\.0" from slipway/)
  })

  it("is an error of pnpm's install with strict peers, and otherwise a warning about the one copy there is", async () => {
    const dependencies = { effect: "4.0.6", slipway: `file:${await tarball()}` }
    writeFileSync(join(project.folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
    const strict = await project.pnpm("install", "--strict-peer-dependencies")
    assert.notStrictEqual(strict.code, 0)
    assert.match(strict.text, /unmet peer effect@~4\.1\.0: found 4\.0\.6/)
    for (const left of ["pnpm-lock.yaml", "node_modules"])
      rmSync(join(project.folder, left), { recursive: true, force: true })
    const lax = await project.pnpm("install")
    assert.match(lax.text, /unmet peer effect@~4\.1\.0: found 4\.0\.6/)
    assert.lengthOf(globSync("node_modules/.pnpm/effect@*", { cwd: project.folder }), 1)
  })
})
