import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const module = new URL("oldGeneration.ts", import.meta.url).href

/** Makes objects that live for a hundred turns, as requests do, and prints how large the heap becomes in the second half. */
const program = (first: string) => `
  import { memoryUsage } from "node:process"
  import { setImmediate } from "node:timers/promises"
  import { setFlagsFromString } from "node:v8"
  // New objects get as little as in a host, so that these grow old.
  setFlagsFromString("--semi-space-growth-factor=1")
  ${first}
  const turns = 3000
  const waiting = []
  let most = 0
  for (let turn = 0; turn < turns; turn++) {
    waiting.push(Array.from({ length: 1000 }, (_, at) => ({ at, list: [turn] })))
    if (waiting.length > 100) waiting.shift()
    if (turn > turns / 2) most = Math.max(most, memoryUsage().heapTotal)
    await setImmediate()
  }
  console.log(most)
`

/** V8 collects in the turn of the program itself, so that it doesn't matter how busy the machine is. */
const args = ["--single-threaded-gc", "--input-type=module", "--eval"]

const mostAfter = async (first: string): Promise<number> =>
  Number((await promisify(execFile)(process.execPath, [...args, program(first)])).stdout)

it("a process that collects old objects sooner needs less memory for the same work", async () => {
  const sooner = await mostAfter(`import { collectSooner } from ${JSON.stringify(module)}; collectSooner()`)
  assert.isBelow(sooner, 0.8 * (await mostAfter("")))
})
