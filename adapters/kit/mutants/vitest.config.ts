import { defineConfig } from "vitest/config"
import { timeouts } from "../../../.config/timeouts.ts"

/**
 * The configuration of the vitest process that `mutants.matrix.test.ts` starts: only the suites on adapters with faults.
 */
export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  test: { include: ["*.suites.ts"], ...timeouts(2), silent: true }
})
