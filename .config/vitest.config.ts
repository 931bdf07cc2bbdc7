import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { reporters } from "./reporters.ts"
import { timeouts } from "./timeouts.ts"

/**
 * The files that run the kit's suites, random walks and large bodies have few lines and take longest. Vitest begins with the largest
 * files where it has no times of an earlier run, so they would be last, each on one processor while the others have nothing to do.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(?:adapters\/\w+\/(?:engines|metadata)|hosts\/http\/(?:walk|nativeDigests)|hosts\/ci\/comment\/incomplete)\.test\.ts$/.test(
        moduleId
      )
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    const ordered = await super.sort(files)
    return [...ordered.filter(isLong), ...ordered.filter((file) => !isLong(file))]
  }
}

/** The tests that need only what npm installs, on the quick engines: see `hosts/http/testing/engineSets.ts`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    globalSetup: ".config/servers.ts",
    // Tests wait for servers much of the time, so a worker for each processor is not too many.
    maxWorkers: "100%",
    // No file changes what another sees. With isolation, half of a run would be loading the same modules for each file.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    include: ["{core,adapters,hosts,conformance,.config}/**/*.test.ts"],
    // These need more than npm installs (a browser, a project for the packed package) or take long.
    exclude: [...configDefaults.exclude, "**/*.browser.test.ts", "**/*.packed.test.ts", "**/*.{slow,matrix}.test.ts"],
    ...timeouts(10),
    reporters: reporters()
  }
})
