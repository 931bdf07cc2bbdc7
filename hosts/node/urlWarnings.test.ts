import { assert, describe, it } from "@effect/vitest"
import { IpNetwork } from "effect/net"
import { Settings } from "../../core/service/Settings.ts"
import { contentWarning, plainHttpWarning, proxyWarning } from "./urlWarnings.ts"

const assertWarned = (said: string | undefined, warning: RegExp | undefined) =>
  warning === undefined ? assert.isUndefined(said) : assert.match(said ?? "", warning)

/** URLs that are about this machine alone. */
const local = ["http://127.0.0.1:8787", "http://localhost:8787", "http://slipway.localhost", "http://[::1]:8787"]

describe("the warning about plain HTTP", () => {
  it.for([
    ...local.map((url) => [{ url }, undefined] as const),
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
    assertWarned(said, warning)
  })

  it.for([
    ["127.0.0.1", "http://127.0.0.1:8787", false],
    ["::1", "http://localhost:8787", false],
    ["0.0.0.0", "https://slipway.example", false],
    ["0.0.0.0", "http://localhost:8787", true],
    ["::", "http://localhost:8787", true]
  ] as const)("of a host that listens on %s for %s is there: %s", ([listens, url, isWarned]) => {
    const said = plainHttpWarning(Settings.make({ url }), listens)
    assertWarned(said, isWarned ? new RegExp(`listens on ${listens} without TLS, .* SLIPWAY_URL\\.$`) : undefined)
  })
})

describe("the warning about a proxy that is not named", () => {
  it.for([
    ["http://127.0.0.1:8787", [], false],
    ["https://slipway.example", [IpNetwork.fromStringUnsafe("127.0.0.0/8")], false],
    ["https://slipway.example", [], true]
  ] as const)("of %s behind %j is there: %s", ([url, trustedProxies, isWarned]) => {
    const said = proxyWarning(url, trustedProxies)
    assertWarned(said, isWarned ? /SLIPWAY_TRUSTED_PROXIES names none/ : undefined)
  })
})

const same = /^Uploaded code is served from \S+, the host name of the pages .* SLIPWAY_CONTENT_URL\.$/
const mixed = /^SLIPWAY_CONTENT_URL is http and the viewer https: /

describe("the warning about where uploaded code is served", () => {
  it.for([
    ...local.map((url) => [{ url }, undefined] as const),
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
    assertWarned(said, warning)
  })
})
