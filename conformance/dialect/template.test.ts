import { assert, describe, it } from "vitest"
import { fill, fillObject, placeholdersOf } from "./template.ts"

describe("a template", () => {
  it("inserts a value with its type where the place is the whole string, and as text within a longer one", () => {
    const values = { count: 3, list: ["a"], flag: false, nothing: null, name: "x" }
    assert.deepStrictEqual(
      fillObject(
        { count: "{count}", text: "{name}×{count}", list: "{list}", flag: "{flag}", nothing: "{nothing}", n: 7 },
        values
      ),
      { count: 3, text: "x×3", list: ["a"], flag: false, nothing: null, n: 7 }
    )
  })

  it("leaves out a property whose value is missing, even when it is only a part of the string", () => {
    assert.deepStrictEqual(fillObject({ a: "{a}", b: { c: "{a}", d: "{b}" }, e: "{b}{a}", f: ["{a}", 1] }, { b: 2 }), {
      b: { d: 2 },
      f: [1]
    })
    assert.isUndefined(fill("{a}", {}))
  })

  it("inserts the items of a list into a list", () => {
    assert.deepStrictEqual(
      fill([{ role: "bundle" }, "{files}", "{none}"], { files: [{ role: "file" }, 2], none: [] }),
      [{ role: "bundle" }, { role: "file" }, 2]
    )
  })

  it("lists its places", () => {
    assert.deepStrictEqual(placeholdersOf({ a: "{b}", c: ["{d} {e}", { f: "{g}" }], h: 1, i: null }), [
      "b",
      "d",
      "e",
      "g"
    ])
  })
})
