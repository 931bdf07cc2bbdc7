import { assert, describe, it } from "vitest"
import { schemaFinding, usedWhenNewer } from "./schema.ts"

const newest = { id: 2, name: "notes" }
const steps = [{ id: 1, name: "baseline" }, newest]

describe("the schema of a database", () => {
  for (const [what, has, ok, said] of [
    ["none yet", [], true, "no tables yet; the first host that starts makes them"],
    [
      "behind",
      steps.slice(0, 1),
      true,
      `at step 1 (baseline); the next host that starts migrates it to ${newest.id} (`
    ],
    ["this version's", steps, true, `at step ${newest.id} (${newest.name}), this version's`],
    [
      "ahead",
      [...steps, { id: newest.id + 1, name: "later" }],
      false,
      `a newer Slipway has migrated it to step ${newest.id + 1} (later); this version knows ${newest.id}`
    ],
    ["somebody else's", [{ id: 1, name: "users" }], false, "its step 1 (users) is not one of Slipway's"]
  ] as const) {
    it(what, () => {
      const found = schemaFinding("schema", has, steps)
      assert.strictEqual(found.ok, ok)
      assert.strictEqual(found.detail.slice(0, said.length), said)
    })
  }

  it("a newer one is used where a host uses it, with PostgreSQL", () => {
    const has = [...steps, { id: newest.id + 1, name: "later" }]
    const found = schemaFinding("schema", has, steps, usedWhenNewer)
    assert.isTrue(found.ok)
    assert.include(found.detail, "a newer Slipway has migrated it")
  })
})
