import { assert, describe, it } from "@effect/vitest"
import { fromCursor, pageOf, pageWithin, toCursor } from "./pages.ts"
import { DateTime, Option } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { TestRunId } from "../model/TestRun.ts"

describe("a page", () => {
  it("continues after its last item if more items were found", () => {
    assert.deepStrictEqual(pageOf(["a", "b", "c"], 2), { page: ["a", "b"], last: "b" })
  })

  it("is the last one if it holds all found items", () => {
    assert.deepStrictEqual(pageOf(["a", "b"], 2), { page: ["a", "b"], last: undefined })
    assert.deepStrictEqual(pageOf([], 2), { page: [], last: undefined })
  })
})

describe("a page of so much weight", () => {
  const page = (found: ReadonlyArray<number>) => pageWithin(found, { size: 3, most: 10, weightOf: (one) => one })

  it("ends before the item with which it would weigh more", () => {
    assert.deepStrictEqual(page([5, 5, 1]), { page: [5, 5], last: 5 })
    assert.deepStrictEqual(page([5, 6]), { page: [5], last: 5 })
  })

  it("holds one item at least", () => {
    assert.deepStrictEqual(page([11]), { page: [11], last: 11 })
  })

  it("is as pageOf has it while its items weigh no more", () => {
    assert.deepStrictEqual(page([1, 2]), { page: [1, 2], last: undefined })
    assert.deepStrictEqual(page([1, 2, 3, 4]), { page: [1, 2, 3], last: 3 })
    assert.deepStrictEqual(page([1, 2, 3, 9]), { page: [1, 2, 3], last: 3 })
  })
})

const at = (millis: number) => DateTime.makeUnsafe(millis)

describe("cursors", () => {
  it("decode to the position that they encode", () => {
    for (const [millis, id] of [
      [0, "0"],
      [1_767_225_600_123, "018f0000-0000-7000-8000-000000000000"],
      [999_999_999_999_999, "~!\"'.."]
    ] as const) {
      const place = { createdAt: at(millis), id: TestRunId.make(id) }
      const cursor = toCursor(place)
      assert.match(cursor, /^[\w-]+$/)
      assert.deepStrictEqual(Option.getOrUndefined(fromCursor(cursor)), place)
    }
  })

  it("that encode no position are rejected", () => {
    for (const written of ["", "x", "1", "1.", ".x", "1.a b", "1.\u0000", "-1.x", "1e3.x", " 1.x", "0x1.x"]) {
      assert.isTrue(Option.isNone(fromCursor(Base64Url.encode(written))), JSON.stringify(written))
    }
    for (const cursor of ["", "!", "a", "ä", "1.x", "====", Base64Url.encode(`${"9".repeat(16)}.x`)]) {
      assert.isTrue(Option.isNone(fromCursor(cursor)), cursor)
    }
    assert.isTrue(Option.isNone(fromCursor(Base64Url.encode(`1.${"x".repeat(65)}`))))
    assert.isTrue(Option.isNone(fromCursor(Base64Url.encode(new Uint8Array([0x31, 0x2e, 0xff, 0xfe])))))
  })
})
