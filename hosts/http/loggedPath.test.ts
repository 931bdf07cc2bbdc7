import { assert, describe, it } from "vitest"
import { pathOfRoute, pathWithoutSecrets } from "./loggedPath.ts"

describe("a path in a log", () => {
  it.each([
    [undefined, "/anything", undefined],
    ["/runs/:id", "/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4", "/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4"],
    ["/previews/:id/shares", "/previews/f4eQcrJJwwXUiLtGE2rfme/shares?x=1", "/previews/f4eQcrJJwwXUiLtGE2rfme/shares"],
    ["/previews/:id", `/previews/slip_${"a".repeat(46)}`, "/previews/:id"],
    ["/shared/:secret", "/shared/f4eQcrJJwwXUiLtGE2rfme", "/shared/:secret"],
    ["/objects/*", "/objects/uploads/a?signature=b", "/objects/*"],
    ["/*", "/f4eQcrJJwwXUiLtGE2rfme", "/*"]
  ])("of the route %s for %s is %s", (route, url, path) => {
    assert.strictEqual(pathOfRoute(route, url), path)
  })
})

describe("a path whose route nobody knows", () => {
  it.each([
    ["/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4?x=1", "/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4"],
    ["/previews/f4eQcrJJwwXUiLtGE2rfme/files/index.js", "/previews/f4eQcrJJwwXUiLtGE2rfme/files/index.js"],
    [`/shared/${"S".repeat(32)}/view`, "/shared/…/view"],
    [`/replay/${"S".repeat(60)}.${"S".repeat(43)}/`, "/replay/…/"],
    [`/builds/slip_${"a".repeat(46)}`, "/builds/…"]
  ])("is shown of %s as %s", (url, path) => {
    assert.strictEqual(pathWithoutSecrets(url), path)
  })
})
