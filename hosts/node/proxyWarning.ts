import type { IpNetwork } from "effect/net"

/**
 * One line of warning when the public URL is https but no proxy is trusted: the host speaks HTTP, so a proxy stands before
 * it, and all clients seem to have its address. `undefined` when nothing is wrong.
 */
export const proxyWarning = (url: string, trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>): string | undefined =>
  new URL(url).protocol === "https:" && trustedProxies.length === 0
    ? "SLIPWAY_URL is https, so clients come through a proxy, but SLIPWAY_TRUSTED_PROXIES names none: all of them share one " +
      "limit of wrong keys, and logs have the proxy's address. Set it to the proxy's address, such as 127.0.0.1,::1 for one " +
      "on this machine."
    : undefined
