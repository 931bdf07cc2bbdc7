import { assert, it } from "vitest"
import { fill } from "./fill.ts"

const files = [
  { path: "a.png", sizeBytes: 1 },
  { path: "b.png", sizeBytes: 2 }
]

it("a placeholder alone is the value, and within a text it is written out", () => {
  assert.deepStrictEqual(fill({ size: "{bundle.size}", said: "{bundle.size} bytes" }, { bundle: { size: 7 } }), {
    size: 7,
    said: "7 bytes"
  })
})

it("a member without a value is left out", () => {
  assert.deepStrictEqual(fill({ kind: "{kind}", fixed: null }, {}), { fixed: null })
})

it("an item for each stands among others", () => {
  const template = [{ role: "bundle" }, { $each: "files", role: "file", name: "{path}", at: "{index}", of: "{of}" }]
  assert.deepStrictEqual(fill(template, { files, of: "all" }), [
    { role: "bundle" },
    { role: "file", name: "a.png", at: 0, of: "all" },
    { role: "file", name: "b.png", at: 1, of: "all" }
  ])
  assert.deepStrictEqual(fill([{ $each: "none", name: "{path}" }], { files }), [])
})
