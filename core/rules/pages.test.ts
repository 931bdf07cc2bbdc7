import { assert, describe, it } from "@effect/vitest"
import { pageOf } from "./pages.ts"

describe("a page", () => {
  it("goes on behind its last when more was found than it holds", () => {
    assert.deepStrictEqual(pageOf(["a", "b", "c"], 2), { page: ["a", "b"], last: "b" })
  })

  it("is the last when it holds all that was found", () => {
    assert.deepStrictEqual(pageOf(["a", "b"], 2), { page: ["a", "b"], last: undefined })
    assert.deepStrictEqual(pageOf([], 2), { page: [], last: undefined })
  })
})
