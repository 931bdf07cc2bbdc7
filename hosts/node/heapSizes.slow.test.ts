import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const mebibyte = 1024 ** 2
const module = new URL("heapSizes.ts", import.meta.url).href

/** Creates objects that become garbage, and prints the size of the young generation. */
const program = (first: string) => `
  import { getHeapSpaceStatistics } from "node:v8"
  import { setImmediate } from "node:timers/promises"
  ${first}
  let kept = []
  for (let turn = 0; turn < 400; turn++) {
    if (turn % 20 === 0) kept = []
    for (let at = 0; at < 10_000; at++) kept.push({ at, list: [at] })
    await setImmediate()
  }
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size)
`

const sizeAfter = async (first: string): Promise<number> =>
  Number((await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program(first)])).stdout)

it("a process with a bounded young generation keeps it small under load", async () => {
  const bound = (calls: string) =>
    `import { limitYoungGeneration, youngSizes } from ${JSON.stringify(module)}; ${calls}`
  const small = "limitYoungGeneration(youngSizes.small);"
  // V8 may double it once more before the process is notified of the collection that made it large enough.
  const least = await sizeAfter(bound(small))
  assert.isAtMost(least, 16 * mebibyte)
  const large = await sizeAfter(bound(`${small} limitYoungGeneration(youngSizes.large)`))
  assert.isAbove(large, least)
  assert.isAtMost(large, 64 * mebibyte)
  assert.isAtLeast(await sizeAfter(""), 64 * mebibyte, "left alone")
})

it("a process that is idle after a peak gives its memory back", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    `
    import { setImmediate, setTimeout } from "node:timers/promises"
    import { collectWhenIdle } from ${JSON.stringify(module)}
    collectWhenIdle(50)
    let kept = []
    for (let turn = 0; turn < 100; turn++) {
      for (let at = 0; at < 10_000; at++) kept.push({ at, list: [at] })
      await setImmediate()
    }
    const peak = process.memoryUsage.rss()
    kept = []
    while (process.memoryUsage.rss() > 0.7 * peak) await setTimeout(50)
    console.log("given back")
    `
  ])
  assert.strictEqual(stdout, "given back\n")
})
