/**
 * Runs the suite against mutants, all of them or those whose ids begin so, and says what each was
 * caught by: `node conformance/mutants/main.ts [ID…]`. With `--list` it only prints what each should be caught by.
 * `--drawn=COUNT [--seed=SEED]` runs mutants that are drawn at random instead, and SEED:PLACE one of them again.
 */
import { parseArgs, styleText } from "node:util"
import { drawMutants, misjudged, newSeed, tryAllDrawn, tryMutants } from "./trials.ts"
import { mutants } from "./index.ts"

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean" }, drawn: { type: "string" }, seed: { type: "string" } }
})
const seed = values.seed ?? newSeed()
const isDrawn = (name: string) => /^\d+:\d+$|#/.test(name)
const { names: drawn, unmet } =
  values.drawn === undefined
    ? { names: asked.filter(isDrawn), unmet: 0 }
    : await drawMutants(seed, Number(values.drawn))
if (drawn.length > 0) {
  const result = await tryAllDrawn(drawn, (line) => console.log(line))
  console.log(`Seed ${seed}: ${result.summary} No request met the conditions of ${unmet} others.`)
  process.exit(result.survivors.length === 0 ? 0 : 1)
}
const some = mutants.filter(({ id }) => asked.length === 0 || asked.some((start) => id.startsWith(start)))
let wrong = 0

if (values.list === true) {
  for (const { caughtBy, fault, id } of some) console.log(`${id}: ${fault} ${caughtBy.join(", ")}`)
  process.exit()
}
await tryMutants(
  some.map(({ id }) => id),
  ({ complaints, mutant }) => {
    const caughtBy = some.find(({ id }) => id === mutant)?.caughtBy ?? []
    const said = misjudged(caughtBy, complaints)
    if (said.length > 0) wrong += 1
    console.log(said.length === 0 ? `  ${mutant}` : [`${styleText("red", "✗")} ${mutant}`, ...said].join("\n      "))
  }
)
console.log(`${some.length} mutants, ${wrong} of them caught by other checks than they say.`)
process.exitCode = wrong === 0 && some.length > 0 ? 0 : 1
