import { defineConfig } from "vitest/config"

/** The checks that need more than npm installs; see `.ci/run`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    globalSetup: ".config/servers.ts",
    // Much of a test is waiting for a server: no core is kept back.
    maxWorkers: "100%",
    include: ["{core,adapters,hosts,conformance,.config}/**/*.{browser,packed,slow}.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
