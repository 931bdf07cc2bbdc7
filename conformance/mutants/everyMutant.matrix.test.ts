/** The whole suite against every mutant of every base: the checks that it names fail, and every other passes. */
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { bases } from "./bases/index.ts"
import { planted } from "./bases/planted.ts"
import { complaints, faultless } from "./complaints.ts"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"
import { tryMutants } from "./tryMutants.ts"
import type { Trial } from "./Trial.ts"

describe("a base without a fault", () => {
  for (const base of bases) {
    it(`passes every check that it can: ${base.name}`, async () => {
      assert.deepStrictEqual(await Effect.runPromise(complaints(base, faultless)), [])
    })
  }
})

describe("the whole suite", () => {
  const all = planted(mutants)
  const tried = new Map<string, Trial>()

  beforeAll(() =>
    tryMutants(
      all.map(({ name }) => name),
      (one) => tried.set(`${one.base}:${one.mutant}`, one)
    )
  )

  for (const { caughtBy, fault, name } of all) {
    it(`catches ${name} by ${caughtBy.join(", ")} and by nothing else: ${fault}`, () => {
      const complaints = tried.get(name)?.complaints
      assert.isDefined(complaints)
      assert.deepStrictEqual(misjudged(caughtBy, complaints ?? []), [])
    })
  }
})
