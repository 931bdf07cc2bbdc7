import { configDefaults, defineConfig } from "vitest/config"
import { reporters } from "./reporters.ts"
import { timeouts } from "./timeouts.ts"

/** The tests that need only what npm installs, on the quick engines: see `hosts/http/testing/engineSets.ts`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    globalSetup: ".config/servers.ts",
    // Tests wait for servers much of the time, so a worker for each processor is not too many.
    maxWorkers: "100%",
    // No file changes what another sees. With isolation, half of a run would be loading the same modules for each file.
    isolate: false,
    include: ["{core,adapters,hosts,conformance,.config}/**/*.test.ts"],
    // These need more than npm installs (a browser, a project for the packed package) or take long.
    exclude: [...configDefaults.exclude, "**/*.browser.test.ts", "**/*.packed.test.ts", "**/*.{slow,matrix}.test.ts"],
    ...timeouts(10),
    reporters: reporters()
  }
})
