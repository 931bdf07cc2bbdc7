import { assert, describe, it } from "@effect/vitest"
import { IpNetwork } from "effect/net"
import { proxyWarning } from "./proxyWarning.ts"

describe("the warning about a proxy that is not named", () => {
  it.for([
    ["http://127.0.0.1:8787", [], false],
    ["https://slipway.example", [IpNetwork.fromStringUnsafe("127.0.0.0/8")], false],
    ["https://slipway.example", [], true]
  ] as const)("of %s behind %j is there: %s", ([url, trustedProxies, isWarned]) => {
    const said = proxyWarning(url, trustedProxies)
    if (isWarned) assert.match(said ?? "", /SLIPWAY_TRUSTED_PROXIES names none/)
    else assert.isUndefined(said)
  })
})
