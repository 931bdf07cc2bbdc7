/** Stores that a grammar makes wrong: the suite finds nearly all of them. */
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { assert, describe, it } from "vitest"
import { allMutants, draw, isKilled } from "./drawn.ts"

const seed = process.env["SLIPWAY_TEST_SEED"] ?? String(randomInt(2 ** 31))
const count = Number(process.env["SLIPWAY_DRAWN_MUTANTS"] ?? 60)

describe("stores with a fault drawn at random", () => {
  it(`are found by the suite, at least 75 of 100: seed ${seed}`, async () => {
    const mutants = draw(await Effect.runPromise(allMutants), count, seed)
    const survivors: Array<string> = []
    for (const mutant of mutants) {
      if (await Effect.runPromise(isKilled(mutant))) continue
      survivors.push(mutant.sentence)
      process.stdout.write(`SURVIVED ${mutant.sentence}\n`)
    }
    process.stdout.write(`SLIPWAY_TEST_SEED=${seed}: ${survivors.length} of ${mutants.length} survive\n`)
    assert.isAtMost(survivors.length, 0.25 * mutants.length, survivors.join("\n"))
  })
})
