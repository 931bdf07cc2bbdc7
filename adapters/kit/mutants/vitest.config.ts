import { defineConfig } from "vitest/config"

/**
 * The configuration of the vitest process that `mutants.slow.test.ts` starts: only the suites on adapters with faults.
 */
export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  test: { include: ["*.suites.ts"], testTimeout: 20_000, silent: true }
})
