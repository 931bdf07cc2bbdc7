import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import slow from "./vitest.slow.config.ts"

const root = new URL("..", import.meta.url).pathname

/** The files whose tests run once for each set of engines. */
const onEngines = globSync("{hosts,conformance}/**/*.test.ts", { cwd: root }).filter((file) =>
  /\b(?:testEngines|enginesWithOwnUrls|ways)\(\)/.test(readFileSync(join(root, file), "utf8"))
)

/**
 * The long matrices: every behaviour test on the slow engines too, every mutant, kills, fuzz, a million rows, what a
 * bundle of React Native can use. `.ci/run` runs those
 * that a change touches, `npm run test:matrix` all of them.
 */
export default defineConfig({
  ...slow,
  test: {
    ...slow.test,
    include: ["{core,adapters,hosts,conformance}/**/*.matrix.test.ts", ...onEngines],
    exclude: ["**/node_modules/**", "**/*.{browser,slow}.test.ts", "hosts/http/walk.test.ts"],
    // Every matrix depends on these, also where it starts a process of its own and so doesn't import them.
    forceRerunTriggers: [
      "**/package-lock.json",
      "**/.config/*.ts",
      "**/{core,adapters}/**/!(*.test).ts",
      "**/hosts/phone/fixtures/**"
    ]
  }
})
