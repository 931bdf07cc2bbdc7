/** The script of examples/curl. */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { newKey, startHere } from "./testing/deployment.ts"
import { temporaryFolder } from "./testing/slipway.ts"

const script = join(import.meta.dirname, "../../examples/curl/upload.sh")

const lacks = ["curl", "jq", "git", "sha256sum"].filter((tool) => spawnSync(tool, ["--version"]).error !== undefined)

/** A folder with an app at a commit, and a function that runs the script in it. */
const appFolder = () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, "index.js"), "app()\n")
  writeFileSync(join(cwd, "events.jsonl"), '{"t":0,"type":"step","name":"Pay","status":"failed"}\n')
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd, stdio: "ignore" })
  git("init")
  git("add", ".")
  git("-c", "user.name=ci", "-c", "user.email=ci@example.com", "commit", "-m", "app")
  return (url: string, key: string) =>
    new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const child = spawn("bash", [script], { cwd, env: { ...process.env, SLIPWAY_URL: url, SLIPWAY_KEY: key } })
      const [out, err]: [Array<string>, Array<string>] = [[], []]
      child.stdout.on("data", (chunk) => out.push(String(chunk)))
      child.stderr.on("data", (chunk) => err.push(String(chunk)))
      child.on("close", (code) => resolve({ code, stdout: out.join(""), stderr: err.join("") }))
    })
}

describe.skipIf(lacks.length > 0)(`uploading with curl${lacks.map((tool) => `, which needs ${tool}`).join("")}`, () => {
  it("uploads a build and a preview with its run, and shows a refusal where it ends", async () => {
    const env = { SLIPWAY_DATA: temporaryFolder() }
    const { url } = await startHere(env)
    const { key } = await newKey(env)
    const run = appFolder()
    const whole = await run(url, key)
    assert.deepStrictEqual({ code: whole.code, stderr: whole.stderr }, { code: 0, stderr: "" })
    const [build = "", trace = "", shared = ""] = whole.stdout.trim().split("\n")
    assert.include(build, `${url}/builds/`)
    assert.include(trace, `${url}/runs/`)
    assert.strictEqual((await fetch(shared)).status, 200)

    const refused = await run(url, "slip_wrong")
    assert.notStrictEqual(refused.code, 0)
    assert.strictEqual(refused.stdout, "")
    const [said = "", problem = "", ...more] = refused.stderr.trim().split("\n")
    assert.match(said, /^curl: \(22\) .*401/)
    assert.include(problem, '"code":"unauthorized"')
    assert.deepStrictEqual(more, [])
  })
})
