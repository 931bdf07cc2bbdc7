/** What `npm pack` makes of `slipway-conformance` installs into an empty folder, and judges hosts on the oldest Node that it names. */
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import manifest from "../package.json" with { type: "json" }
import { fairHosts } from "../conformance/fair/hosts.ts"
import { suite } from "../conformance/run/suite.ts"
import { fairTarget } from "../conformance/testing/fairTarget.ts"
import { makeConformancePackage } from "./conformancePackage.ts"
import { env, newProject } from "./testing/project.ts"

const run = promisify(execFile)

/** The machine's own Node, of version 20 where it has that; else the one that runs this test. */
const machineNode = (): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((path) => existsSync(path)) ?? process.execPath

describe("the packed package slipway-conformance in an empty folder", () => {
  const project = newProject()
  const scratch = mkdtempSync(join(tmpdir(), "slipway-conformance-package-"))
  const own = join(project.folder, "node_modules/slipway-conformance")
  const main = join(own, "main.js")

  beforeAll(async () => {
    await makeConformancePackage(join(scratch, "package"), await Effect.runPromise(suite))
    await run("npm", ["pack", join(scratch, "package"), "--pack-destination", scratch], { cwd: scratch, env })
    const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz")) ?? ""
    const installed = await project.npm("install", join(scratch, tarball))
    assert.strictEqual(installed.code, 0, installed.text)
  })
  afterAll(() => {
    project.remove()
    rmSync(scratch, { recursive: true, force: true })
  })

  it("is one file of less than two MiB, without other packages", () => {
    assert.sameMembers(globSync("**/*", { cwd: own }), ["LICENSE", "README.md", "main.js", "package.json"])
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
  })

  it("judges a host on the machine's Node, with the suite of the checkout, and confirms its report", async () => {
    const host = await (fairHosts["terse"] ?? assert.fail("terse"))()
    onTestFinished(() => host.stop())
    const { config, keys } = fairTarget(host)
    const told = (some: Readonly<Record<string, Redacted.Redacted | undefined>>) =>
      Object.fromEntries(
        Object.entries(some).map(([name, key]) => [name, key === undefined ? "" : Redacted.value(key)])
      )
    const accounts = {
      a: { ...config.accounts.a, keys: told(keys.a) },
      b: { ...config.accounts.b, keys: { all: told(keys.b)["all"] } }
    }
    writeFileSync(join(project.folder, "vendor.json"), JSON.stringify({ ...config, accounts }))
    const program = (...args: ReadonlyArray<string>) =>
      run(machineNode(), [main, ...args], { cwd: project.folder, env })
    const { stdout } = await program("--config", "vendor.json", "--report-json", "report.json")
    assert.match(stdout, /builds +conformant/)
    const report = JSON.parse(readFileSync(join(project.folder, "report.json"), "utf8"))
    assert.deepStrictEqual(report.suite, await Effect.runPromise(suite))
    assert.match((await program("verify", "report.json")).stdout, /Confirmed of http/)
  })

  it("is what the CI action runs", async () => {
    const action = readFileSync(join(import.meta.dirname, "../conformance/action/action.yml"), "utf8")
    const script = /run: \|\n(.+)$/s.exec(action)?.[1] ?? assert.fail("no script")
    const local = script.replace('--yes -- "slipway-conformance@$VERSION"', "--no -- slipway-conformance")
    const inputs = { URL: "http://127.0.0.1:9", CONFIG: "vendor.json", REPORT: "out", VERSION: "latest" }
    const failed = await run("bash", ["-c", local], { cwd: project.folder, env: { ...env, ...inputs } }).then(
      () => assert.fail("nothing listens there"),
      (error: { readonly code: number; readonly stderr: string }) => error
    )
    assert.strictEqual(failed.code, 3, failed.stderr)
    assert.include(failed.stderr, "Nothing listens at http://127.0.0.1:9")
  })
})
