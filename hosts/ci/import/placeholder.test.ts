import { assert, describe, it } from "vitest"
import { placeholder } from "./placeholder.ts"

const known = { owner: "acme", repo: "app", branch: "</script><b>", commit: "c".repeat(40), source: "github:1" }
const text = (tool: "Maestro" | "Detox", provenance = known) => Buffer.from(placeholder(tool, provenance)).toString()

describe("the page in the place of an app", () => {
  it("says where the run was recorded", () => {
    for (const part of ["Detox", "acme/app", "c".repeat(40), "github:1"]) assert.include(text("Detox"), part)
  })

  it("is the same bytes for all runs of an import, so that they are sent once", () => {
    assert.strictEqual(text("Maestro"), text("Maestro"))
  })

  it("is a script whatever a branch is called", () => {
    assert.doesNotThrow(() => new Function(text("Maestro", { ...known, branch: '"`${}\u2028\\' })))
  })
})
