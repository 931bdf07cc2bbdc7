import { defineConfig } from "vitest/config"

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["{core,adapters,hosts,conformance,.config}/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
