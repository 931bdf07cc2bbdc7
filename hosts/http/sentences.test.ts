/** Each sentence of the interface has a test over HTTP: the tests of this folder name the sentences they prove. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { requirements } from "../../conformance/index.ts"

const proved = new Set(
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
    .flatMap((source) => Array.from(source.matchAll(/\bproves\(([^)]*)\)/g), ([, ids = ""]) => ids))
    .flatMap((ids) => Array.from(ids.matchAll(/"([^"]+)"/g), ([, id = ""]) => id))
)

describe("the sentences of the interface", () => {
  it("have a test each, except those that no request can disprove", () => {
    const unproved = requirements.filter((one) => "checks" in one && !proved.has(one.id))
    assert.deepStrictEqual(
      unproved.map(({ id, section }) => `§${section} ${id}`),
      []
    )
  })

  it("include every id that a test names", () => {
    const ids = new Set(requirements.map(({ id }) => id))
    assert.strictEqual(ids.size, requirements.length)
    assert.deepStrictEqual(
      [...proved].filter((id) => !ids.has(id)),
      []
    )
  })
})
