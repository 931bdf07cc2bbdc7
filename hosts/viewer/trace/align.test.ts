import { assert, describe, it } from "@effect/vitest"
import { alignSteps, commonClock, marksOf } from "./align.ts"
import type { Step } from "./traceData.ts"

const step = (index: number, name: string, from: number): Step => ({
  index,
  name,
  from,
  status: "passed",
  to: from,
  depth: 0,
  message: undefined
})

describe("the clock of two runs", () => {
  // The left run needs 10 to its second step and 40 from there on, the right one 30 and 20.
  const clock = commonClock(
    [
      { left: 0, right: 0 },
      { left: 10, right: 30 }
    ],
    { left: 50, right: 50 }
  )

  it("lasts as long as the slower of the two from step to step", () => {
    assert.strictEqual(clock.length, 30 + 40)
  })

  it("makes the faster run wait where the next step begins", () => {
    assert.deepStrictEqual([0, 10, 29, 30, 50, 70, 99].map(clock.at), [
      { left: 0, right: 0 },
      { left: 10, right: 10 },
      { left: 10, right: 29 },
      { left: 10, right: 30 },
      { left: 30, right: 50 },
      { left: 50, right: 50 },
      { left: 50, right: 50 }
    ])
  })

  it("knows when a run stands at a time of its own", () => {
    assert.deepStrictEqual(
      [0, 9, 10, 50].map((t) => clock.timeOf("left", t)),
      [0, 9, 30, 70]
    )
    assert.deepStrictEqual(
      [0, 29, 30, 50].map((t) => clock.timeOf("right", t)),
      [0, 29, 30, 50]
    )
    for (const side of ["left", "right"] as const) {
      for (let t = 0; t <= 50; t += 1) assert.strictEqual(clock.at(clock.timeOf(side, t))[side], t)
    }
  })

  it("is that of both where no steps belong together", () => {
    const plain = commonClock([], { left: 5, right: 9 })
    assert.strictEqual(plain.length, 9)
    assert.deepStrictEqual(plain.at(7), { left: 5, right: 7 })
  })

  it("never runs back, whatever the order of the steps' times", () => {
    const left = [step(0, "a", 4), step(1, "b", 2), step(2, "c", 9)]
    const right = [step(0, "a", 0), step(1, "b", 5), step(2, "c", 3)]
    const marks = marksOf(alignSteps(left, right))
    assert.deepStrictEqual(marks, [
      { left: 4, right: 0 },
      { left: 9, right: 3 }
    ])
  })
})
