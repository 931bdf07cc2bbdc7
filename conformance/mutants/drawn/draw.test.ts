import { assert, describe, it } from "vitest"
import { draw } from "./draw.ts"
import { interval } from "./interval.ts"
import { namesOf } from "../tryAllDrawn.ts"

describe("a drawn mutant", () => {
  it("is the same each time for its name, of both bases, and only has conditions for its endpoint", () => {
    const drawn = namesOf("1", 200).map(draw)
    assert.deepStrictEqual(
      drawn.map(({ sentence }) => sentence),
      namesOf("1", 200).map((name) => draw(name).sentence)
    )
    assert.strictEqual(new Set(drawn.map(({ base }) => base.name)).size, 2)
    for (const { conditions, fault } of drawn) {
      for (const [, , endpoints = [fault.endpoint]] of conditions) assert.include(endpoints, fault.endpoint)
    }
    assert.notDeepEqual(
      drawn.map(({ sentence }) => sentence),
      namesOf("2", 200).map((name) => draw(name).sentence)
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
