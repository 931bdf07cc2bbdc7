import { configDefaults, defineConfig } from "vitest/config"

/** The tests that need nothing but what npm installs, on the quick engines: see `hosts/http/testing/engineSets.ts`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    globalSetup: ".config/servers.ts",
    // Much of a test is waiting for a server: no core is kept back.
    maxWorkers: "100%",
    // No file changes what another sees, and half of a run was loading the same modules for each of them.
    isolate: false,
    include: ["{core,adapters,hosts,conformance,.config}/**/*.test.ts"],
    // These need more than npm installs (a browser, a packed package in a project of its own), or take long.
    exclude: [...configDefaults.exclude, "**/*.browser.test.ts", "**/*.packed.test.ts", "**/*.slow.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
