import { assert, describe, it } from "@effect/vitest"
import { pageOf, pageWithin } from "./pages.ts"

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
