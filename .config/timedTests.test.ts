/**
 * No test asserts how long something takes: on a slow or busy machine it would be red without a fault. What must not block
 * is asserted by counted work (`hosts/http/testing/turnWork.ts`), speed is measured in `hosts/bench`, and a wait ends with
 * the test's own timeout (`timeouts.ts`).
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"

const root = join(import.meta.dirname, "..")

/** What measures time, or bounds a wait by a number of its own. */
const timed: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ["elapsed time", /\bperformance\s*\.|perf_hooks|\bhrtime\b|\bconsole\.time|\bEffect\.timed\b/],
  ["elapsed time", /\bDate\.now\(\)\s*-\s*[a-z]|-\s*Date\.now\(\)/i],
  ["CPU time", /\b(?:cpuUsage|threadCpuUsage|resourceUsage|monitorEventLoopDelay|eventLoopUtilization)\b/],
  ["a retry", /\bretry: *\d|--retry/],
  [
    "a timeout of its own",
    /\btimeout: *["'\d]|\bsetDefault(?:Navigation)?Timeout\(\d|^ *\}, \d[\d_]{3,}\)$|\}\)?,\n +\d[\d_]*_000\n +\)/m
  ]
]

const timedIn = (text: string): ReadonlyArray<string> =>
  timed.filter(([, pattern]) => pattern.test(text)).map(([what]) => what)

/** Files in which a pattern is no assertion, and why. */
const exempt: Readonly<Record<string, string>> = {
  "hosts/http/testing/agingUrls.ts": "measures how far two clocks are apart"
}

it("no test asserts elapsed time or CPU time, is tried again, or has a timeout of its own", () => {
  const files = globSync("{core,adapters,hosts,conformance,.config}/**/{*.test.ts,testing/**/*.ts}", { cwd: root })
  const kit = globSync("adapters/kit/**/*.ts", { cwd: root })
  assert.isAbove(files.length, 300)
  const found = [...files, ...kit]
    .filter((file) => exempt[file] === undefined && !import.meta.filename.endsWith(file))
    .map((file) => ({ file, timed: timedIn(readFileSync(join(root, file), "utf8")) }))
  assert.deepStrictEqual(
    found.filter(({ timed }) => timed.length > 0),
    []
  )
})

it.each([
  ["assert.isAtMost(performance.now() - began, 50)", "elapsed time"],
  ["const [seconds] = process.hrtime(began)", "elapsed time"],
  ["assert.isBelow(Date.now() - began, 1000)", "elapsed time"],
  ["assert.isAtMost(until - Date.now(), 1000)", "elapsed time"],
  ["const { user } = process.threadCpuUsage()", "CPU time"],
  ["const delay = monitorEventLoopDelay()", "CPU time"],
  ["it('x', { retry: 2 }, run)", "a retry"],
  ["await button.waitFor({ timeout: 3000 })", "a timeout of its own"],
  ['layer(live, { timeout: "2 minutes" })', "a timeout of its own"],
  ["  it('x', async () => {\n  }, 60_000)", "a timeout of its own"],
  ["    it(\n      'x',\n      () => {\n      },\n      120_000\n    )", "a timeout of its own"]
])("refuses %s", (text, what) => {
  assert.deepStrictEqual(timedIn(text), [what])
})

it.each([
  "yield* TestClock.adjust(60_000)",
  "const past = Date.now() - 26 * 3_600_000",
  "assert.isAtMost(turns, 2000)"
])("accepts %s", (text) => {
  assert.deepStrictEqual(timedIn(text), [])
})
