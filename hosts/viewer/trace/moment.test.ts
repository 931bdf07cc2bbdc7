import { assert, describe, it } from "@effect/vitest"
import { clockText } from "./clockText.ts"
import { hashOf, momentIn } from "./moment.ts"

describe("a moment in an address", () => {
  it("is in seconds, with or without their unit", () => {
    assert.strictEqual(momentIn("#t=12.4"), 12_400)
    assert.strictEqual(momentIn("#t=0"), 0)
    assert.strictEqual(momentIn("#t=7s"), 7000)
    assert.strictEqual(momentIn("#a=1&t=3"), 3000)
  })

  it("is none where there is something else", () => {
    for (const hash of ["", "#", "#t=", "#t=-1", "#t=1e9", "#t=1.2.3", "#at=1", "#t=NaN", "#t=12:04", "t=1"]) {
      assert.isUndefined(momentIn(hash), hash)
    }
  })

  it("is written to the millisecond, and read as it was written", () => {
    assert.strictEqual(hashOf(2166), "#t=2.166")
    assert.strictEqual(hashOf(12_400), "#t=12.4")
    assert.strictEqual(hashOf(0.4), "#t=0")
    for (const t of [0, 1, 999, 61_001, 3_600_000]) assert.strictEqual(momentIn(hashOf(t)), t)
  })
})

describe("a time as a clock shows it", () => {
  it("has minutes, seconds and milliseconds, and hours where there are some", () => {
    assert.strictEqual(clockText(0), "0:00.000")
    assert.strictEqual(clockText(2166.4), "0:02.166")
    assert.strictEqual(clockText(59_999.6), "1:00.000")
    assert.strictEqual(clockText(754_030), "12:34.030")
    assert.strictEqual(clockText(3_723_000), "1:02:03.000")
  })
})
