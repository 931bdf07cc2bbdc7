import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { reporters } from "./reporters.ts"
import { timeouts } from "./timeouts.ts"

// The slow engines, unless the environment names others. `servers.ts` reads the same variable.
process.env["SLIPWAY_TEST_ENGINES"] ??= "slow"

/** The tests that need more than npm installs or take long, and the random walks on the slow engines: see `.ci/run`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    globalSetup: ".config/servers.ts",
    // Tests wait for servers a third of the time, so one worker more than there are processors is not too many.
    maxWorkers: availableParallelism() + 1,
    include: [
      "{core,adapters,hosts,conformance,.config}/**/*.{browser,packed,slow}.test.ts",
      "adapters/s3/*.test.ts",
      "hosts/http/{walk,previewWalk,sweepWalk}.test.ts"
    ],
    ...timeouts(30),
    reporters: reporters()
  }
})
