import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = new URL("..", import.meta.url).pathname
// The slow engines, unless the environment says otherwise; the servers of a run start by the same.
process.env["SLIPWAY_TEST_ENGINES"] ??= "slow"

const slow = "{core,adapters,hosts,conformance,.config}/**/*.{browser,packed,slow}.test.ts"

/** The files whose tests run on several sets of engines, or on S3. */
const onEngines = [
  "adapters/s3/*.test.ts",
  ...globSync("{adapters,hosts,conformance}/**/*.test.ts", { cwd: root }).filter((file) =>
    /(?:testing\/(?:engines|ways)|adapters\/s3\/testing\/\w+)\.ts"/.test(readFileSync(join(root, file), "utf8"))
  )
]

/** What needs more than npm installs or takes long, and every interface test on the slow engines; see `.ci/run`. */
export default defineConfig({
  root,
  test: {
    globalSetup: ".config/servers.ts",
    // Much of a test is waiting for a server: no core is kept back.
    maxWorkers: "100%",
    include: [slow, ...onEngines],
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
