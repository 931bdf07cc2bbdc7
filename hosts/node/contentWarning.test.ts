import { assert, describe, it } from "@effect/vitest"
import { Settings } from "../../core/service/Settings.ts"
import { contentWarning } from "./contentWarning.ts"

const same = /^Uploaded code is served from \S+, the host name of the pages .* SLIPWAY_CONTENT_URL\.$/
const mixed = /^SLIPWAY_CONTENT_URL is http and the viewer https: /

describe("the warning about where uploaded code is served", () => {
  it.for([
    [{ url: "http://127.0.0.1:8787" }, undefined],
    [{ url: "http://localhost:8787" }, undefined],
    [{ url: "http://slipway.localhost" }, undefined],
    [{ url: "http://[::1]:8787" }, undefined],
    [{ url: "http://127.0.0.1:8787", contentUrl: "http://localhost:8787" }, undefined],
    [{ url: "https://slipway.example", contentUrl: "https://content.example" }, undefined],
    [{ url: "https://slipway.example", contentUrl: "https://content.slipway.example/u" }, undefined],
    [{ url: "http://slipway.example", contentUrl: "http://content.example" }, undefined],
    [{ url: "https://slipway.example" }, same],
    [{ url: "http://0.0.0.0:8787" }, same],
    [{ url: "http://192.168.1.4:8787" }, same],
    [{ url: "http://127.0.0.1.example" }, same],
    [{ url: "http://127.0.0.1:8787", viewerUrl: "https://slipway.example" }, same],
    [{ url: "https://slipway.example", viewerUrl: "http://127.0.0.1:8787" }, same],
    [{ url: "https://slipway.example", contentUrl: "https://SLIPWAY.example/uploads" }, same],
    [{ url: "https://slipway.example", contentUrl: "https://slipway.example:8443" }, same],
    [{ url: "https://slipway.example", contentUrl: "http://slipway.example" }, same],
    [{ url: "https://slipway.example", contentUrl: "http://content.example" }, mixed]
  ] as const)("of %j is %s", ([urls, warning]) => {
    const said = contentWarning(Settings.make(urls))
    if (warning === undefined) assert.isUndefined(said)
    else assert.match(said ?? "", warning)
  })
})
