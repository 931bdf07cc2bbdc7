/** Imports as a CI job makes them: a shell script with the packed program, on the machine's Node, against a host of its own. */
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { makeCiPackage } from "../../../.config/ciPackage.ts"
import { newKey, startHost } from "../../cli/testing/deployment.ts"
import { temporaryFolder } from "../../cli/testing/slipway.ts"
import { createClient } from "../../client/index.ts"
import { detoxFixtures, maestroFixtures } from "./testing/reading.ts"

const run = promisify(execFile)

/** Runs a script in a checkout of `acme/app`, as GitHub runs the job of a pull request. Answers the runs that the host has then. */
const job = async (script: string, ...folders: ReadonlyArray<readonly [name: string, from: string]>) => {
  const data = { SLIPWAY_DATA: temporaryFolder() }
  const { url } = await startHost(data)
  const { key } = await newKey(data)
  const checkout = temporaryFolder()
  const bin = join(checkout, "bin")
  await makeCiPackage(join(checkout, "package"))
  mkdirSync(bin)
  symlinkSync(join(checkout, "package", "main.js"), join(bin, "slipway-ci"))
  for (const [name, from] of folders) symlinkSync(from, join(checkout, name))
  const event = join(checkout, "event.json")
  const head = { sha: "c".repeat(40), ref: "feature", repo: { full_name: "acme/app" } }
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head, base: { repo: { full_name: "acme/app" } } } }))
  const file = join(checkout, "job.sh")
  writeFileSync(file, `set -eu\n${script}\n`)
  chmodSync(file, 0o755)
  const { HOME = "", PATH = "" } = process.env
  const env = {
    HOME,
    PATH: `${bin}${delimiter}${PATH}`,
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: "acme/app",
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_EVENT_PATH: event,
    GITHUB_HEAD_REF: "feature",
    GITHUB_REF: "refs/pull/7/merge",
    GITHUB_SHA: "d".repeat(40),
    GITHUB_RUN_ID: "4711",
    SLIPWAY_URL: url,
    SLIPWAY_KEY: key
  }
  const { stderr, stdout } = await run("sh", [file], { cwd: checkout, env })
  const { testRuns } = await createClient({ url, key }).testRuns.list({
    org: "acme",
    repo: "app",
    source: "github:4711",
    limit: 100
  })
  return { stderr, stdout, runs: testRuns }
}

describe("a job that imports", () => {
  it("the folder of Maestro, twice, and reports the results", async () => {
    const { runs, stderr, stdout } = await job(
      "slipway-ci import maestro out\nslipway-ci import maestro out && slipway-ci comment --format markdown",
      ["out", join(maestroFixtures, "out")]
    )
    const comment = stdout.slice(stdout.indexOf("### Tests"))
    assert.match(comment, /^### Tests: .*2 failed.*1 flaky/)
    assert.include(comment, "Assertion is false")
    assert.notInclude(comment, "marked-secret")
    assert.include(stdout, "✗ Pay 9.1 s http")
    assert.include(stderr, "5 runs: 3 passed (1 flaky), 2 failed (1 interrupted).")
    assert.lengthOf(runs, 5)
    assert.deepStrictEqual(
      runs.map(({ commitSha, pr }) => [commitSha, pr]),
      runs.map(() => ["c".repeat(40), 7])
    )
  })

  it("the results and artifacts of Detox, twice, and reports the results", async () => {
    const line = "slipway-ci import detox results.json --artifacts artifacts"
    const { runs, stderr, stdout } = await job(
      `${line}\n${line} && slipway-ci comment --format markdown`,
      ["results.json", join(detoxFixtures, "results.json")],
      ["artifacts", join(detoxFixtures, "artifacts")]
    )
    assert.include(stderr, "9 runs: 3 passed (1 flaky), 6 failed; 2 skipped.")
    assert.lengthOf(runs, 9)
    assert.include(stdout, "Cannot find module './not-there'")
  })
})
