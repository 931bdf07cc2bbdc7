/**
 * Runs the suite against mutants, all of them or those whose ids begin so, of all bases or of one, and says what each was
 * caught by: `node conformance/mutants/main.ts [--base=BASE] [ID…]`. With `--list` it only prints what each should be caught by.
 * `--drawn=COUNT [--seed=SEED]` runs mutants that are drawn at random instead, and SEED:PLACE one of them again.
 */
import { parseArgs, styleText } from "node:util"
import { planted } from "./bases/planted.ts"
import { drawMutants, newSeed, tryAllDrawn } from "./tryAllDrawn.ts"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"
import { tryMutants } from "./tryMutants.ts"

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { base: { type: "string" }, list: { type: "boolean" }, drawn: { type: "string" }, seed: { type: "string" } }
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
const some = planted(mutants)
  .filter(({ base }) => values.base === undefined || base.name === values.base)
  .filter(({ id }) => asked.length === 0 || asked.some((start) => id.startsWith(start)))
let wrong = 0

if (values.list === true) {
  for (const { caughtBy, fault, name } of some) console.log(`${name}: ${fault} ${caughtBy.join(", ")}`)
  process.exit()
}
await tryMutants(
  some.map(({ name }) => name),
  ({ base, complaints, mutant }) => {
    const { caughtBy = [], name = mutant } = some.find(({ name }) => name === `${base}:${mutant}`) ?? {}
    const said = misjudged(caughtBy, complaints)
    if (said.length > 0) wrong += 1
    console.log(said.length === 0 ? `  ${name}` : [`${styleText("red", "✗")} ${name}`, ...said].join("\n      "))
  }
)
console.log(`${some.length} mutants, ${wrong} of them caught by other checks than they say.`)
process.exitCode = wrong === 0 && some.length > 0 ? 0 : 1
