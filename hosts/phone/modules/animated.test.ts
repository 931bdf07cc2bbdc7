import { assert, describe, it } from "@effect/vitest"
import { driverOf, interpolate } from "./animated.ts"

const inputRange = [0, 1, 2]

describe("what an animated value becomes", () => {
  it.for([
    [0.5, 5],
    [1.5, 20],
    [3, 50],
    [-1, -10]
  ] as const)("at %d is %d", ([value, expected]) => {
    assert.strictEqual(interpolate({ inputRange, outputRange: [0, 10, 30] }, value), expected)
  })

  it("beyond its range is as it was asked to be", () => {
    const config = { inputRange, outputRange: [0, 10, 30], extrapolateLeft: "clamp", extrapolateRight: "identity" }
    assert.deepStrictEqual([interpolate(config, -1), interpolate(config, 3)], [0, 3])
  })

  it("may be a text or a colour", () => {
    assert.strictEqual(interpolate({ inputRange, outputRange: ["0deg", "90deg", "0deg"] }, 0.5), "45deg")
    const color = interpolate({ inputRange, outputRange: [0xff000000, 0xffffffff, 0], outputType: "color" }, 0.5)
    assert.strictEqual(color, 0xff808080)
  })
})

describe("what drives an animated value", () => {
  it("by frames is between them, and ends where it should", () => {
    const drive = driverOf({ type: "frames", frames: [0, 0.5, 1], toValue: 10 }, 0)
    assert.closeTo(drive(1000 / 120).value, 2.5, 1e-9)
    assert.deepStrictEqual(drive(1000), { value: 10, isDone: true })
  })

  it.for([
    ["that swings", 10],
    ["that creeps", 40]
  ] as const)("by a spring %s comes to rest", ([, damping]) => {
    const drive = driverOf({ type: "spring", stiffness: 100, damping, mass: 1, toValue: 1 }, 0)
    assert.closeTo(drive(0).value, 0, 1e-9)
    assert.isAbove(drive(150).value, 0)
    assert.deepStrictEqual(drive(10_000), { value: 1, isDone: true })
  })

  it("by a throw is ever slower", () => {
    const drive = driverOf({ type: "decay", velocity: 1, deceleration: 0.99 }, 0)
    const places = [drive(50), drive(100), drive(150)].map(({ value }) => value)
    const [first = 0, second = 0, third = 0] = places
    assert.isAbove(second - first, third - second)
    assert.isTrue(drive(5000).isDone || drive(5001).isDone)
  })
})
