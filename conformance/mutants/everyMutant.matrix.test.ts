/** Every mutant of every base: the checks that it names fail, and every other that can see its fault passes. */
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { bases } from "./bases/index.ts"
import { planted } from "./bases/planted.ts"
import { complaintsOf, reachedBy } from "./complaints.ts"
import { alwaysTried } from "./drawn/draw.ts"
import { drawMutants, newSeed, tryAllDrawn } from "./tryAllDrawn.ts"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"
import { areaOf } from "./parts/Call.ts"
import type { Front } from "./parts/Front.ts"
import { tryMutants } from "./tryMutants.ts"
import type { Trial } from "./Trial.ts"

describe("a base without a fault", () => {
  for (const base of bases) {
    for (const profile of ["builds", "previews", "testRuns"] as const) {
      it(`passes every check of ${profile} that it can, and gets requests to the areas it lists: ${base.name}`, async () => {
        const areas: Array<string | undefined> = []
        const recording: Front = (ask) => (call) => (areas.push(areaOf(call)), ask(call))
        assert.deepStrictEqual(await Effect.runPromise(complaintsOf(base, recording, { profiles: [profile] })), [])
        // The first request of a run asks whether there is a target.
        const [, ...reached] = areas
        const expected = Object.entries(reachedBy).filter(([, profiles]) => profiles.some((one) => one === profile))
        assert.sameMembers(
          [...new Set(reached)],
          expected.map(([area]) => area)
        )
      })
    }
  }
})

describe("the suite", () => {
  const all = planted(mutants)
  const tried = new Map<string, Trial>()

  beforeAll(() =>
    tryMutants(
      all.map(({ name }) => name),
      (one) => tried.set(`${one.base}:${one.mutant}`, one)
    )
  )

  for (const { base, caughtBy, fault, name } of all) {
    it(`catches ${name} by ${caughtBy.join(", ")}${base.isWhole ? " and by nothing else" : ""}: ${fault}`, () => {
      const complaints = tried.get(name)?.complaints
      assert.isDefined(complaints)
      assert.deepStrictEqual(misjudged(caughtBy, complaints ?? []), [])
    })
  }
})

describe("mutants drawn at random", () => {
  const seed = newSeed()

  it(`are killed, at least 97 % of those that are reached: seed ${seed}`, async () => {
    const { names, unmet } = await drawMutants(seed, 500)
    const { share, summary, survivors } = await tryAllDrawn(names)
    const all = `Seed ${seed}: ${summary} No request met the conditions of ${unmet} others.`
    process.stdout.write([all, ...survivors, ""].join("\n"))
    assert.isAtLeast(share, 0.97, survivors.join("\n"))
  })

  it("are all killed, where vendors got through with them", async () => {
    assert.deepStrictEqual((await tryAllDrawn(alwaysTried)).survivors, [])
  })
})
