/** What `npm pack` makes of `slipway-ci` installs into an empty folder, and runs on the oldest Node that it names. */
import { execFile, spawn } from "node:child_process"
import { hash } from "node:crypto"
import { once } from "node:events"
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import manifest from "../package.json" with { type: "json" }
import { serve, slipwayJson, temporaryFolder } from "../hosts/cli/testing/slipway.ts"
import { makeCiPackage } from "./ciPackage.ts"
import { env, installPacked, machineNode, newProject } from "./testing/project.ts"

const run = promisify(execFile)

describe("the packed package slipway-ci in an empty folder", () => {
  const project = newProject()
  const scratch = mkdtempSync(join(tmpdir(), "slipway-ci-package-"))
  const main = join(project.folder, "node_modules/slipway-ci/main.js")
  const slipwayCi = (...args: ReadonlyArray<string>) =>
    run(machineNode(), [main, ...args], { cwd: project.folder, env })
  let modules: ReadonlyArray<string> = []
  let packedBytes = Infinity

  beforeAll(async () => {
    modules = await makeCiPackage(join(scratch, "package"))
    packedBytes = statSync(await installPacked(project, scratch)).size
  })
  afterAll(() => {
    project.remove()
    rmSync(scratch, { recursive: true, force: true })
  })

  it("is one file, packed less than 200 kB, without other packages, and nothing of Effect", () => {
    const own = join(project.folder, "node_modules/slipway-ci")
    assert.sameMembers(globSync("**/*", { cwd: own }), [
      "LICENCES.txt",
      "LICENSE",
      "README.md",
      "main.js",
      "package.json"
    ])
    assert.match(readFileSync(join(own, "LICENCES.txt"), "utf8"), /saxes \d[^]*Permission to use/)
    assert.isBelow(packedBytes, 200_000)
    assert.deepStrictEqual(
      readdirSync(join(own, "..")).filter((name) => !name.startsWith(".")),
      ["slipway-ci"]
    )
    assert.deepStrictEqual(
      modules.filter((path) => /node_modules\/(?:@effect|effect)\//.test(path)),
      []
    )
  })

  it("runs on the machine's Node and by npx", async () => {
    assert.strictEqual((await slipwayCi("--version")).stdout, `${manifest.version}\n`)
    assert.include((await slipwayCi("upload", "build", "--help")).stdout, "--platform")
    assert.include((await project.npx("slipway-ci", "--help")).text, "upload build")
  })

  it("exits with the code of what went wrong", async () => {
    const failed = await slipwayCi("upload", "build").then(
      () => undefined,
      (error: { readonly code: number }) => error.code
    )
    assert.strictEqual(failed, 2)
  })

  it("is provided by the host of a checkout, as is slipway-conformance: as a package and as one file", async () => {
    const data = temporaryFolder()
    const host = spawn(process.execPath, ["hosts/cli/main.ts", "serve", "--port", "0", "--data", data], {
      cwd: join(import.meta.dirname, ".."),
      stdio: ["ignore", "pipe", "inherit"]
    })
    onTestFinished(() => void host.kill())
    const [line] = await once(createInterface({ input: host.stdout }), "line")
    const url = `${String(line).split(" ").at(-1)}/cli`
    const page = await (await fetch(url)).text()
    for (const name of ["slipway-ci", "slipway-conformance"]) {
      const [tarball, file] = [`${url}/${name}.tgz`, `${url}/${name}.mjs`]
      assert.include((await project.npx("--yes", tarball, "--version")).text, manifest.version)
      const answer = await fetch(file)
      assert.strictEqual(answer.headers.get("cache-control"), "public, no-cache")
      const etag = answer.headers.get("etag") ?? ""
      assert.strictEqual((await fetch(file, { headers: { "if-none-match": etag } })).status, 304)
      const saved = join(scratch, `${name}.mjs`)
      writeFileSync(saved, await answer.text())
      assert.include((await run(machineNode(), [saved, "--version"])).stdout, manifest.version)
      const content = Buffer.from(await (await fetch(tarball)).arrayBuffer())
      assert.include(page, `sha512-${hash("sha512", content, "base64")}`)
    }
    assert.strictEqual((await fetch(`${url}/other.tgz`)).status, 404)
  })

  it.for([
    ["Maestro", "import maestro $FIXTURES/maestro/fixtures/out"],
    ["Detox", "import detox $FIXTURES/detox/fixtures/results.json --artifacts $FIXTURES/detox/fixtures/artifacts"]
  ] as const)(
    "uploads the output of %s to a host, and reports it, in a shell script as CI runs it",
    async ([, importing]) => {
      const data = temporaryFolder()
      await slipwayJson(["account", "create", "acme", "--data", data])
      await slipwayJson(["repo", "link", "acme/app", "--account", "acme", "--data", data])
      const scopes = ["--scope", "preview_upload", "--scope", "test_runs"]
      const made = await slipwayJson(["key", "create", "--account", "acme", "--name", "ci", ...scopes, "--data", data])
      const { line } = await serve(["--port", "0", "--data", data])
      const script = `npx slipway-ci ${importing} && npx slipway-ci comment --format markdown`
      const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
        cwd: project.folder,
        env: {
          ...env,
          CI: "true",
          FIXTURES: join(import.meta.dirname, "../hosts/ci/import"),
          SLIPWAY_URL: line.split(" ").at(-1),
          SLIPWAY_KEY: String(Reflect.get(Object(made), "key")),
          SLIPWAY_OWNER: "acme",
          SLIPWAY_REPO: "app",
          SLIPWAY_SOURCE: "github:1"
        }
      })
      assert.match(stdout, /### Tests: ❌ \d+ failed/)
      assert.match(stdout, /\[All \d+ runs\]\(http:.*\/sources\?owner=acme&repo=app&source=github%3A1\)/)
    }
  )
})
