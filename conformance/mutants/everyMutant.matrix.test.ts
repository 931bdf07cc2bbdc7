/** Mutants of the reference host, drawn from three seeds: the suite finds at least 97 % of those that it reaches. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { complaintsOf, drawMutants, newSeed, reachedBy, tryAllDrawn } from "./trials.ts"
import { alwaysTried } from "./drawn.ts"
import { areaOf, type Middleware } from "./Mutant.ts"

describe("the reference host without a fault", () => {
  for (const profile of ["builds", "previews", "testRuns"] as const) {
    it(`passes every check of ${profile} and gets requests to the areas that reachedBy lists`, async () => {
      const areas: Array<string | undefined> = []
      const recording: Middleware = (ask) => (call) => (areas.push(areaOf(call)), ask(call))
      assert.deepStrictEqual(await Effect.runPromise(complaintsOf(recording, [profile])), [])
      const expected = Object.entries(reachedBy).filter(([, profiles]) => profiles.some((one) => one === profile))
      assert.includeMembers(
        areas,
        expected.map(([area]) => area)
      )
    })
  }
})

describe("mutants drawn at random", () => {
  for (const seed of [newSeed(), newSeed(), newSeed()]) {
    it(`are killed, at least 97 % of those that are reached: seed ${seed}`, async () => {
      const { names, unmet } = await drawMutants(seed, 167)
      const { share, summary, survivors } = await tryAllDrawn(names)
      const all = `Seed ${seed}: ${summary} No request met the conditions of ${unmet} others.`
      process.stdout.write([all, ...survivors, ""].join("\n"))
      assert.isAtLeast(share, 0.97, survivors.join("\n"))
    })
  }

  it("are all killed, where vendors got through with them", async () => {
    assert.deepStrictEqual((await tryAllDrawn(alwaysTried)).survivors, [])
  })
})
