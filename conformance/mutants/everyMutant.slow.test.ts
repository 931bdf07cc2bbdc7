/** The whole suite against every mutant: the checks that it names fail, and every other passes. */
import { assert, beforeAll, describe, it } from "vitest"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"
import { tryMutants } from "./tryMutants.ts"
import type { Tried } from "./Tried.ts"

describe("the whole suite", () => {
  const tried = new Map<string, Tried>()

  // A minute on two processors that have nothing else to do.
  beforeAll(
    () =>
      tryMutants(
        mutants.map(({ id }) => id),
        (one) => tried.set(one.mutant, one)
      ),
    900_000
  )

  for (const { caughtBy, fault, id } of mutants) {
    it(`catches ${id} by ${caughtBy.join(", ")} and by nothing else: ${fault}`, () => {
      const complaints = tried.get(id)?.complaints
      assert.isDefined(complaints)
      assert.deepStrictEqual(misjudged(caughtBy, complaints ?? []), [])
    })
  }
})
