import { assert, it } from "vitest"
import { follow } from "./follow.ts"

const answer = { slots: { "a/b.png": ["slot"] }, list: [{ of: { role: "x" } }, { of: { role: "y" }, found: true }] }

it("goes by key, index and what an item's members say", () => {
  assert.strictEqual(follow(answer, ["slots", "{path}", 0], { path: "a/b.png" }), "slot")
  assert.strictEqual(follow(answer, ["list", { where: { "of.role": "{role}" } }, "found"], { role: "y" }), true)
  assert.strictEqual(follow(answer, []), answer)
})

it("finds nothing where nothing lies", () => {
  assert.isUndefined(follow(answer, ["slots", "none", 0]))
  assert.isUndefined(follow(answer, ["list", { where: { "of.role": "z" } }, "found"]))
  assert.isUndefined(follow("text", ["list", 1]))
})
