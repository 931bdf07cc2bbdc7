/**
 * Runs the suite against mutants that are drawn at random, and says what each was caught by: `node
 * conformance/mutants/main.ts [--count=100] [--seed=SEED]`, or SEED:PLACE… for some of them again.
 */
import { parseArgs } from "node:util"
import { drawMutants, newSeed, tryAllDrawn } from "./trials.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "100" }, seed: { type: "string" } }
})
const seed = values.seed ?? newSeed()
const { names, unmet } =
  positionals.length > 0 ? { names: positionals, unmet: 0 } : await drawMutants(seed, Number(values.count))
const result = await tryAllDrawn(names, (line) => console.log(line))
console.log(`Seed ${seed}: ${result.summary} No request met the conditions of ${unmet} others.`)
process.exit(result.survivors.length === 0 ? 0 : 1)
