import { assert, it } from "@effect/vitest"
import { grantedTo } from "./groups.ts"

const grants = [
  { group: "qa", account: "acme", scopes: ["test_runs"] },
  { group: "mobile", account: "acme", scopes: ["builds", "test_runs"] },
  { group: "web", account: "other", scopes: ["builds"] }
] as const

it("a person's first group in the mapping decides the account; all groups that lead there give their scopes", () => {
  assert.deepStrictEqual(grantedTo(grants, ["web", "mobile", "qa"]), {
    account: "acme",
    scopes: ["test_runs", "builds"]
  })
  assert.deepStrictEqual(grantedTo(grants, ["mobile"]), { account: "acme", scopes: ["builds", "test_runs"] })
  assert.deepStrictEqual(grantedTo(grants, ["web"]), { account: "other", scopes: ["builds"] })
})

it("groups that the mapping doesn't have give nothing, nor does a group whose name merely looks alike", () => {
  for (const groups of [[], ["Mobile"], ["mobile "], ["*"]]) assert.isUndefined(grantedTo(grants, groups))
})
