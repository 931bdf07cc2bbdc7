import { assert, describe, it } from "@effect/vitest"
import { Settings } from "../../core/service/Settings.ts"
import { plainHttpWarning } from "./plainHttpWarning.ts"

describe("the warning about plain HTTP", () => {
  it.for([
    [{ url: "http://127.0.0.1:8787" }, undefined],
    [{ url: "http://localhost:8787" }, undefined],
    [{ url: "http://slipway.localhost" }, undefined],
    [{ url: "http://[::1]:8787" }, undefined],
    [{ url: "https://slipway.example" }, undefined],
    [{ url: "https://slipway.example", viewerUrl: "http://localhost:8787" }, undefined],
    [{ url: "http://slipway.example" }, /unencrypted to http:\/\/slipway\.example: .* SLIPWAY_URL\.$/],
    [{ url: "http://192.168.1.4:8787" }, /unencrypted to http:\/\/192\.168\.1\.4:8787: .* SLIPWAY_URL\.$/],
    [{ url: "http://127.0.0.1.example" }, /unencrypted .* SLIPWAY_URL\.$/],
    [
      { url: "https://slipway.example", viewerUrl: "http://pages.example/viewer" },
      /unencrypted to http:\/\/pages\.example: .* SLIPWAY_VIEWER_URL\.$/
    ]
  ] as const)("of %j is %s", ([urls, warning]) => {
    const said = plainHttpWarning(Settings.make(urls), "127.0.0.1")
    if (warning === undefined) assert.isUndefined(said)
    else assert.match(said ?? "", warning)
  })

  it.for([
    ["127.0.0.1", "http://127.0.0.1:8787", false],
    ["::1", "http://localhost:8787", false],
    ["0.0.0.0", "https://slipway.example", false],
    ["0.0.0.0", "http://localhost:8787", true],
    ["::", "http://localhost:8787", true]
  ] as const)("of a host that listens on %s for %s is there: %s", ([listens, url, isWarned]) => {
    const said = plainHttpWarning(Settings.make({ url }), listens)
    if (isWarned) assert.match(said ?? "", new RegExp(`listens on ${listens} without TLS, .* SLIPWAY_URL\\.$`))
    else assert.isUndefined(said)
  })
})
