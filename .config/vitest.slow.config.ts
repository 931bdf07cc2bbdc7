import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { reporters } from "./reporters.ts"
import { timeouts } from "./timeouts.ts"

const root = new URL("..", import.meta.url).pathname
// The slow engines, unless the environment names others. `servers.ts` reads the same variable.
process.env["SLIPWAY_TEST_ENGINES"] ??= "slow"

const slow = "{core,adapters,hosts,conformance,.config}/**/*.{browser,packed,slow}.test.ts"

/** The files whose tests run once for each set of engines, or on S3. */
const onEngines = [
  "adapters/s3/*.test.ts",
  ...globSync("{adapters,hosts,conformance}/**/*.test.ts", { cwd: root }).filter((file) =>
    /(?:testing\/(?:engines|ways)|adapters\/s3\/testing\/\w+)\.ts"/.test(readFileSync(join(root, file), "utf8"))
  )
]

/** The tests that need more than npm installs or take long, and every interface test on the slow engines: see `.ci/run`. */
export default defineConfig({
  root,
  test: {
    globalSetup: ".config/servers.ts",
    // Tests wait for servers a third of the time, so one worker more than there are processors is not too many.
    maxWorkers: availableParallelism() + 1,
    include: [slow, ...onEngines],
    ...timeouts(30),
    reporters: reporters()
  }
})
