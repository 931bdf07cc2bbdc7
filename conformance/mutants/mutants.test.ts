/** What can be tested of the mutants without running the suite against each. */
import { assert, describe, it } from "vitest"
import { alwaysTried, draw, interval } from "./drawn.ts"

const namesOf = (seed: string, count: number) => Array.from({ length: count }, (_, place) => `${seed}:${place}`)

describe("a drawn mutant", () => {
  it("is the same each time for its name, and only has conditions for its endpoint", () => {
    const drawn = namesOf("1", 200).map(draw)
    assert.deepStrictEqual(
      drawn.map(({ sentence }) => sentence),
      namesOf("1", 200).map((name) => draw(name).sentence)
    )
    for (const { conditions, fault } of drawn) {
      for (const [, , endpoints = [fault.endpoint]] of conditions) assert.include(endpoints, fault.endpoint)
    }
    assert.notDeepEqual(
      drawn.map(({ sentence }) => sentence),
      namesOf("2", 200).map((name) => draw(name).sentence)
    )
  })

  it("is in the grammar, where it is tried in every run", () => {
    const sentences = alwaysTried.map((name) => draw(name).sentence)
    assert.include(
      sentences,
      "The answer to builds.latest of builds is 404 although it is there if its branch has a slash."
    )
  })
})

describe("the interval of a share", () => {
  it("is Wilson's", () => {
    const [least, most] = interval(485, 500)
    assert.closeTo(least, 0.9511, 0.0001)
    assert.closeTo(most, 0.9817, 0.0001)
  })
})
