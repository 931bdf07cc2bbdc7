import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["{core,adapters,hosts,conformance,.config}/**/*.test.ts"],
    // These need more than npm installs: a browser, or a packed package in a project of its own.
    exclude: [...configDefaults.exclude, "**/*.browser.test.ts", "**/*.packed.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
