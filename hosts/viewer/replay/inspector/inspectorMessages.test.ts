/** What of an app's answers about itself reaches the page. */
import { assert, describe, it } from "@effect/vitest"
import { decodeInspected, mostInspected, type Inspected } from "./inspectorMessages.ts"

const nothing: Inspected = {
  kind: "inspected",
  of: "children",
  id: 0,
  turn: 0,
  items: [],
  left: 0,
  sections: [],
  path: [],
  text: ""
}

describe("an answer of an app about itself", () => {
  it("has the values that the page knows, and nothing for others", () => {
    assert.deepStrictEqual(decodeInspected({ kind: "inspected", of: "children" }), nothing)
    assert.deepStrictEqual(
      decodeInspected({
        kind: "inspected",
        of: "children",
        id: -1,
        items: [{ id: 1, name: "View", detail: 2, hasChildren: "yes", more: 1 }, null],
        left: 1.5,
        sections: [{ title: {}, rows: [["name"], "row"] }],
        path: ["1", 2],
        text: []
      }),
      {
        ...nothing,
        items: [
          { id: 1, name: "View", detail: "", hasChildren: false },
          { id: 0, name: "", detail: "", hasChildren: false }
        ],
        sections: [
          {
            title: "",
            rows: [
              ["name", ""],
              ["", ""]
            ]
          }
        ],
        path: [0, 2]
      }
    )
    for (const value of [undefined, "inspected", { kind: "inspected", of: "constructor" }, { of: "details" }]) {
      assert.isUndefined(decodeInspected(value))
    }
  })

  it("is cut where it is longer than a page shows", () => {
    const long = "W".repeat(1_000_000)
    const found = decodeInspected({
      kind: "inspected",
      of: "stores",
      items: Array.from({ length: 1000 }, () => ({ name: long, detail: long })),
      sections: Array.from({ length: 100 }, () => ({
        title: long,
        rows: Array.from({ length: 500 }, () => [long, long])
      })),
      path: Array.from({ length: 5000 }, () => 1)
    })
    assert.strictEqual(found?.items.length, mostInspected.items)
    assert.strictEqual(found?.items[0]?.detail.length, mostInspected.name)
    assert.strictEqual(found?.path.length, mostInspected.path)
    assert.strictEqual(found?.sections.length, mostInspected.sections)
    const texts = found?.sections.flatMap(({ rows, title }) => [title, ...rows.flat()]) ?? []
    assert.strictEqual(texts.join("").length, mostInspected.sectionText)
  })

  it("isn't read by the app's own code", () => {
    const hostile = { kind: "inspected", of: "details" }
    Object.defineProperty(hostile, "sections", { get: () => assert.fail("it was read") })
    assert.deepStrictEqual(decodeInspected(hostile)?.sections, [])
  })
})
