/** Each sentence of the interface has a test, and the table in the README says which. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { requirements } from "../../conformance/index.ts"

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8")

const table = new Map(
  read("README.md")
    .split("\n")
    .map((line) => /^\| (\S+\.\S+) +\| (.+?) +\|$/.exec(line))
    .flatMap((row) => (row?.[1] === undefined || row[2] === undefined ? [] : [[row[1], row[2]] as const]))
)

describe("the table of sentences and tests", () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".test.ts"))
    .map(read)
    .join("\n")

  it("has a test for every sentence", () => {
    // One that nobody can see to be broken from outside may go without.
    const lacking = requirements
      .filter((one) => "checks" in one || table.has(one.id))
      .filter(({ id }) => !tests.includes(`"${table.get(id)}"`))
    assert.deepStrictEqual(
      lacking.map(({ id, section }) => `§${section} ${id}`),
      []
    )
  })

  it("names no sentence that isn't there", () => {
    const ids = new Set(requirements.map(({ id }) => id))
    assert.strictEqual(ids.size, requirements.length)
    assert.deepStrictEqual(
      [...table.keys()].filter((id) => !ids.has(id)),
      []
    )
  })
})
