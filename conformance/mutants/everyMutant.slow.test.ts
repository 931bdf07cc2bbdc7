/** The whole suite against every mutant of every base: the checks that it names fail, and every other passes. */
import { assert, beforeAll, describe, it } from "vitest"
import { planted } from "./bases/planted.ts"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"
import { tryMutants } from "./tryMutants.ts"
import type { Tried } from "./Tried.ts"

describe("the whole suite", () => {
  const all = planted(mutants)
  const tried = new Map<string, Tried>()

  // Three minutes on two processors that have nothing else to do.
  beforeAll(
    () =>
      tryMutants(
        all.map(({ name }) => name),
        (one) => tried.set(`${one.base}:${one.mutant}`, one)
      ),
    1_800_000
  )

  for (const { caughtBy, fault, name } of all) {
    it(`catches ${name} by ${caughtBy.join(", ")} and by nothing else: ${fault}`, () => {
      const complaints = tried.get(name)?.complaints
      assert.isDefined(complaints)
      assert.deepStrictEqual(misjudged(caughtBy, complaints ?? []), [])
    })
  }
})
