import { assert, describe, it } from "@effect/vitest"
import { impossibleName } from "./Repository.ts"

describe("the name of a repository to link", () => {
  it.each([
    ["acme", "app"],
    ["acme-inc", ".github"],
    ["octo_corp", "my.app_2-x"],
    ["group/sub/sub-sub", "app"],
    ["~jane", "app"],
    ["My Org/Mobile (iOS) & Web", "Äpp 東京"],
    ["a", "c++"]
  ])("%s/%s can be one of a code host", (owner, repo) => {
    assert.isUndefined(impossibleName({ owner, repo }))
  })

  it.each([
    ["../../etc", "passwd"],
    ["..", "app"],
    ["acme", ".."],
    ["acme", "."],
    ["acme/./x", "app"],
    ["acme/...", "app"],
    ["/acme", "app"],
    ["acme//sub", "app"],
    ["acme/", "app"],
    ["acme", ""],
    [" acme", "app"],
    ["acme", "app "],
    ["acme\\..\\etc", "app"],
    ["C:", "app"],
    ["acme", "%2e%2e"],
    ["acme", "app?x=1"],
    ["acme", "app#main"],
    ["https://github.com/acme", "app"],
    ["git@github.com:acme", "app"],
    ["acme", "app.git"],
    ["<script>alert(1)<", "script>"],
    ["$(id)", "app"],
    ["acme;id", "app"],
    ["acme|id", "app"],
    ["acme", "`id`"],
    ["acme", "app\u0000"],
    ["acme", "app\u202e"],
    ["acme", "app\u200b"],
    ["ac\u00a0me", "app"],
    ["acme", "x".repeat(256)]
  ])("%j/%j can't", (owner, repo) => {
    assert.isString(impossibleName({ owner, repo }))
  })
})
