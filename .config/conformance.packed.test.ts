/** What `npm pack` makes of `slipway-conformance` installs into an empty folder, and judges hosts on the oldest Node that it names. */
import { Effect, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { fairHosts } from "../conformance/fair/hosts.ts"
import { suite } from "../conformance/run/suite.ts"
import { fairTarget } from "../conformance/testing/target.ts"
import { makeConformancePackage } from "./conformancePackage.ts"
import { env, installPacked, machineNode, newProject } from "./testing/project.ts"

import manifest from "../package.json" with { type: "json" }

const run = promisify(execFile)

describe("the packed package slipway-conformance in an empty folder", () => {
  const project = newProject()
  const scratch = mkdtempSync(join(tmpdir(), "slipway-conformance-package-"))
  const own = join(project.folder, "node_modules/slipway-conformance")
  const main = join(own, "main.js")

  beforeAll(async () => {
    await makeConformancePackage(join(scratch, "package"), await Effect.runPromise(suite))
    await installPacked(project, scratch)
  })
  afterAll(() => {
    project.remove()
    rmSync(scratch, { recursive: true, force: true })
  })

  it("is one file of less than two MiB, without other packages, and pages whose links resolve", () => {
    const pages = ["README.md", "interface.md", "api-behavior.md"]
    assert.sameMembers(globSync("**/*", { cwd: own }), ["LICENSE", "main.js", "package.json", ...pages])
    for (const page of pages) {
      const links = readFileSync(join(own, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)
      for (const [, file = ""] of links) assert.isTrue(existsSync(join(own, file)), `${page} links to ${file}`)
    }
    assert.notInclude(readFileSync(main, "utf8"), "slipway conformance")
    assert.isBelow(statSync(main).size, 2 * 1024 ** 2)
    assert.deepStrictEqual(
      readdirSync(join(own, "..")).filter((name) => !name.startsWith(".")),
      ["slipway-conformance"]
    )
  })

  it("runs by npx", async () => {
    const { code, text } = await project.npx("slipway-conformance", "--version")
    assert.strictEqual(code, 0, text)
    assert.include(text, manifest.version)
    const refused = await project.npx("slipway-conformance", "--report-htlm")
    assert.match(refused.text, /^slipway-conformance: .*\nRun slipway-conformance --help/m)
  })

  it("judges a host on the machine's Node, with the suite of the checkout, and confirms its report", async () => {
    const host = await (fairHosts["enveloped"] ?? assert.fail("enveloped"))()
    onTestFinished(() => host.stop())
    const { config, keys } = fairTarget(host)
    // A file has the keys of single scopes and of pairs of them, and no such fields.
    const { pairsOfScopes: _, scopedKeysOfB: __, ...settings } = config
    const exposed = (some: Readonly<Record<string, Redacted.Redacted | undefined>>) =>
      Object.fromEntries(
        Object.entries(some).map(([name, key]) => [name, key === undefined ? "" : Redacted.value(key)])
      )
    const accounts = {
      a: { ...config.accounts.a, keys: exposed(keys.a) },
      b: { ...config.accounts.b, keys: { all: exposed(keys.b)["all"] } }
    }
    writeFileSync(join(project.folder, "vendor.json"), JSON.stringify({ ...settings, accounts }))
    const program = (...args: ReadonlyArray<string>) =>
      run(machineNode(), [main, ...args], { cwd: project.folder, env })
    const { stdout } = await program("--config", "vendor.json", "--report-json", "report.json")
    assert.match(stdout, /builds +conformant/)
    const report = JSON.parse(readFileSync(join(project.folder, "report.json"), "utf8"))
    assert.deepStrictEqual(report.suite, await Effect.runPromise(suite))
    assert.match((await program("verify", "report.json")).stdout, /Confirmed of http/)
  })

  it("finds the host of the demo conformant, from its config in an empty folder, by npx on the machine's Node", async () => {
    const data = mkdtempSync(join(tmpdir(), "slipway-conformance-demo-"))
    const root = join(import.meta.dirname, "..")
    const demo = spawn(process.execPath, [join(root, "hosts/demo/main.ts"), "--port", "0", "--data", data], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = once(demo, "close")
    onTestFinished(async () => {
      demo.kill("SIGTERM")
      await ended
      rmSync(data, { recursive: true, force: true })
    })
    let said = ""
    for await (const line of createInterface({ input: demo.stdout })) {
      said += `${line}\n`
      if (line.includes("Serving until Ctrl-C.")) break
    }
    const url = /host +(http:\/\/\S+)/.exec(said)?.[1] ?? assert.fail(said)
    const order = async (...args: ReadonlyArray<string>) => {
      const cli = [join(root, "hosts/cli/main.ts"), ...args, "--data", data, "--json"]
      return JSON.parse((await run(process.execPath, cli, { cwd: root, env })).stdout)
    }
    const scopes = { builds: "builds", previewUpload: "preview_upload", testRuns: "test_runs" }
    const account = async (name: string, wanted: Readonly<Record<string, ReadonlyArray<string>>>) => {
      await order("account", "create", name)
      await order("repo", "link", `${name}/app`, "--account", name)
      const keys: Record<string, string> = {}
      for (const [which, granted] of Object.entries(wanted)) {
        const asked = granted.flatMap((scope) => ["--scope", scope])
        keys[which] = (await order("key", "create", "--account", name, "--name", which, ...asked)).key
      }
      return { linked: { owner: name, repo: "app" }, keys }
    }
    const all = Object.values(scopes)
    const alone = Object.fromEntries(Object.entries(scopes).map(([which, scope]) => [which, [scope]]))
    const accounts = { a: await account("north", { all, ...alone }), b: await account("south", { all }) }
    const folder = mkdtempSync(join(tmpdir(), "slipway-vendor-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, "slipway-conformance.json"), JSON.stringify({ url, accounts }))
    const npx = ["--no", "--prefix", project.folder, "slipway-conformance"]
    const path = [dirname(machineNode()), process.env["PATH"] ?? ""].join(delimiter)
    const { stdout } = await run("npx", npx, { cwd: folder, env: { ...env, PATH: path } })
    assert.match(stdout, /builds +conformant[\s\S]*previews +conformant[\s\S]*test runs +conformant/)
  })

  it("is what the CI action runs", async () => {
    const action = readFileSync(join(import.meta.dirname, "../conformance/action/action.yml"), "utf8")
    const script = /run: \|\n(.+)$/s.exec(action)?.[1] ?? assert.fail("no script")
    const PACKAGE = `file:${globSync(join(scratch, "*.tgz")).join("")}`
    const inputs = { URL: "http://127.0.0.1:9", CONFIG: "vendor.json", REPORT: "out", PACKAGE }
    const failed = await run("bash", ["-c", script], { cwd: project.folder, env: { ...env, ...inputs } }).then(
      () => assert.fail("nothing listens there"),
      (error: { readonly code: number; readonly stderr: string }) => error
    )
    assert.strictEqual(failed.code, 3, failed.stderr)
    assert.include(failed.stderr, "Nothing listens at http://127.0.0.1:9")
  })
})
