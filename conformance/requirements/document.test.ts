import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { interfaceDocument } from "./document.ts"
import { requirements } from "./index.ts"
import { sections } from "./sections.ts"

describe("docs/interface.md", () => {
  it("is what the requirements say", () => {
    const kept = readFileSync(join(import.meta.dirname, "../../docs/interface.md"), "utf8")
    assert.strictEqual(kept, interfaceDocument(), "run: node conformance/requirements/document.ts")
  })

  it("has a section for every requirement", () => {
    const known = new Set(sections.map(({ number }) => number))
    assert.deepStrictEqual(
      requirements.filter(({ section }) => !known.has(section)).map(({ id }) => id),
      []
    )
  })
})
