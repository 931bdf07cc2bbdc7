import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { reporters } from "./reporters.ts"
import { timeouts } from "./timeouts.ts"

// The slow engines, unless the environment names others. `servers.ts` reads the same variable.
process.env["SLIPWAY_TEST_ENGINES"] ??= "slow"

/** Files that take long and are short, so that Vitest, which knows no duration on a bare machine, would start them last. */
const longButShort =
  /\/(?:examples\.packed|package\.packed|upgrade\.slow|firefox\.browser|nativeTrouble\.browser|tour\.browser|alone\.packed|service\.slow|metadata\.slow|engines\.slow|snippets\.slow)\.test\.ts$/

/** Starts the longest files first, so that no worker is left with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort.call(this, files)
    const isLong = ({ moduleId }: TestSpecification) => longButShort.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** The tests that need more than npm installs or take long, and those of `npm test` that also have cases on the slow engines: see `.ci/run`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    globalSetup: ".config/servers.ts",
    // Tests wait for servers a third of the time, so one worker more than there are processors is not too many.
    maxWorkers: availableParallelism() + 1,
    include: [
      "{core,adapters,hosts,conformance,.config}/**/*.{browser,packed,slow}.test.ts",
      "adapters/s3/*.test.ts",
      "hosts/cli/{doctor,startRefused}.test.ts",
      "hosts/http/walk.test.ts"
    ],
    sequence: { sequencer: LongestFirst },
    ...timeouts(30),
    reporters: reporters()
  }
})
