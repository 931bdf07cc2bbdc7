import { defineConfig } from "vitest/config"

/** What `mutants.slow.test.ts` runs: no test of its own, but the suites on adapters that are wrong on purpose. */
export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  test: { include: ["*.suites.ts"], testTimeout: 20_000, silent: true }
})
