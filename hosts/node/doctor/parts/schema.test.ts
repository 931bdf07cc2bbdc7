import { assert, describe, it } from "vitest"
import { steps } from "../../../../adapters/postgres/index.ts"
import { schemaFinding } from "./schema.ts"

const done = steps.map(({ id, name }) => ({ id, name }))
const newest = done.at(-1) ?? assert.fail("there are steps")

describe("the schema of a database", () => {
  for (const [what, has, ok, said] of [
    ["none yet", [], true, "no tables yet; the first host that starts makes them"],
    ["behind", done.slice(0, 1), true, `at step 1 (accounts); the next host that starts migrates it to ${newest.id} (`],
    ["this version's", done, true, `at step ${newest.id} (${newest.name}), this version's`],
    [
      "ahead",
      [...done, { id: newest.id + 1, name: "later" }],
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
})
