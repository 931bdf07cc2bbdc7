import { assert, describe, it } from "@effect/vitest"
import { barsOf, mostBars, rowsOf, timelineWidth } from "./bars.ts"
import { describeStep } from "./stepText.ts"
import type { Step } from "./steps.ts"

const step = (fields: Partial<Step>): Step => ({
  index: 0,
  name: "tap",
  status: "passed",
  from: 0,
  to: 0,
  depth: 0,
  message: undefined,
  ...fields
})

describe("steps on a timeline", () => {
  it("are at their times, and one that never ended reaches the end", () => {
    const bars = barsOf([step({ from: 0, to: 50 }), step({ from: 50, to: undefined, depth: 9 })], 200)
    assert.deepStrictEqual(
      bars.map(({ row, width, x }) => [x, width, row]),
      [
        [0, timelineWidth / 4, 0],
        [timelineWidth / 4, (timelineWidth * 3) / 4, 2]
      ]
    )
    assert.strictEqual(rowsOf(bars), 3)
  })

  it("can all be seen, however short, and none leaves it", () => {
    for (const [from, to] of [
      [0, 0],
      [100, 100],
      [99.9, 100],
      [500, 900],
      [0, 1e300]
    ] as const) {
      const [bar] = barsOf([step({ from, to })], 100)
      assert.isAtLeast(bar?.width ?? 0, 3)
      assert.isAtLeast(bar?.x ?? -1, 0)
      assert.isAtMost((bar?.x ?? 0) + (bar?.width ?? 0), timelineWidth)
    }
  })

  it("are drawn on one of no length, and about as many as can be drawn, from its beginning to its end", () => {
    assert.deepInclude(barsOf([step({})], 0)[0], { x: 0, width: 3 })
    const count = 10 * mostBars
    const many = Array.from({ length: count }, (_, index) =>
      step({ index, from: index, to: index + 1, status: index === count - 5 ? "failed" : "passed" })
    )
    const bars = barsOf(many, count)
    assert.isAtMost(bars.length, mostBars + 1)
    assert.isAbove(bars.at(-2)?.x ?? 0, timelineWidth * 0.99)
    const [failed] = bars.slice(-1)
    assert.strictEqual(failed?.step.index, count - 5, "above all others")
    assert.isAtLeast(failed?.width ?? 0, 8)
  })
})

describe("a step is described", () => {
  it("with how it went, from when to when", () => {
    assert.deepInclude(describeStep(step({ from: 1240, to: 1530 })), {
      mark: "passed",
      took: "290 ms",
      summary: "passed, from 0:01.240 to 0:01.530, 290 ms"
    })
    assert.strictEqual(
      describeStep(step({ from: 5, to: undefined, status: "running" })).summary,
      "running, from 0:00.005, never ended"
    )
    assert.strictEqual(describeStep(step({ from: 5, to: 5, status: "skipped" })).summary, "skipped, at 0:00.005")
  })

  it("by the mark of a status, and of one that nobody knows by another", () => {
    const marks = ["passed", "PASS", "Error", "failed", "warned", "skipped", "running", "eaten"].map(
      (status) => describeStep(step({ status })).mark
    )
    assert.deepStrictEqual(marks, ["passed", "passed", "failed", "failed", "warned", "skipped", "running", "other"])
  })

  it("with the beginning of what would be too long, no character cut in two", () => {
    const { isCut, name } = describeStep(step({ name: "𝒜".repeat(16_384) }))
    assert.isTrue(isCut)
    assert.strictEqual(name, `${"𝒜".repeat(159)}…`)
    assert.deepInclude(describeStep(step({ name: "𝒜".repeat(160) })), { isCut: false, name: "𝒜".repeat(160) })
    assert.isFalse(describeStep(step({ depth: 1e9 })).depth > 6)
  })
})
