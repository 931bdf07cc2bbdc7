import { assert, describe, it } from "@effect/vitest"
import { pageOf } from "./pages.ts"

describe("a page", () => {
  it("continues after its last item if more items were found", () => {
    assert.deepStrictEqual(pageOf(["a", "b", "c"], 2), { page: ["a", "b"], last: "b" })
  })

  it("is the last one if it holds all found items", () => {
    assert.deepStrictEqual(pageOf(["a", "b"], 2), { page: ["a", "b"], last: undefined })
    assert.deepStrictEqual(pageOf([], 2), { page: [], last: undefined })
  })
})
