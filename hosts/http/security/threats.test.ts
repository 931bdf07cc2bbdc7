/** The security policy names the tests for each threat, and those tests exist. */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..")
const policy = readFileSync(join(root, ".github", "SECURITY.md"), "utf8")

const isFile = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false

/** The rows of the table of threats: the attack, the defence, and the cell that names the tests. */
const threats = policy
  .slice(policy.indexOf("| threat |"))
  .split("\n\n")[0]!
  .split("\n")
  .slice(2)
  .map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )

describe("the table of threats", () => {
  it("has a threat, a defence and tests in each row", () => {
    assert.isAbove(threats.length, 15)
    for (const row of threats) assert.lengthOf(row, 3, row.join(" | "))
  })

  it.each(threats.map(([threat = "", , tests = ""]) => ({ threat, tests })))(
    "$threat: its tests are there",
    ({ tests }) => {
      const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? "")
      assert.isNotEmpty(named)
      assert.deepStrictEqual(
        named.filter((path) => !path.includes(".test.ts") || !isFile(path)),
        []
      )
    }
  )
})
