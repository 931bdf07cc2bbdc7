/**
 * Runs the suite against mutants, all of them or those whose ids begin so, and says what each was caught by:
 * `node conformance/mutants/main.ts [ID…]`.
 */
import { styleText } from "node:util"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"
import { tryMutants } from "./tryMutants.ts"

const asked = process.argv.slice(2)
const some = mutants.filter(({ id }) => asked.length === 0 || asked.some((start) => id.startsWith(start)))
let wrong = 0

await tryMutants(
  some.map(({ id }) => id),
  ({ complaints, mutant }) => {
    const { caughtBy = [] } = some.find(({ id }) => id === mutant) ?? {}
    const said = misjudged(caughtBy, complaints)
    if (said.length > 0) wrong += 1
    console.log(said.length === 0 ? `  ${mutant}` : [`${styleText("red", "✗")} ${mutant}`, ...said].join("\n      "))
  }
)
console.log(`${some.length} mutants, ${wrong} of them caught by other checks than they say.`)
process.exitCode = wrong === 0 && some.length > 0 ? 0 : 1
