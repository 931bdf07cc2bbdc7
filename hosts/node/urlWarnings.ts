import type { IpNetwork } from "effect/net"
import type { SettingsShape } from "../../core/service/Settings.ts"

/** Whether only the machine itself reaches a host under that name. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/**
 * One line of warning when people or CI reach the host by plain HTTP from other machines: under a name that other machines can
 * use, or because it listens on an address that they reach (`listens`) under a name that is only this machine's. `undefined` when
 * nothing is wrong.
 */
export const plainHttpWarning = (
  urls: Pick<SettingsShape, "url" | "viewerUrl">,
  listens: string
): string | undefined => {
  const plain = (["url", "viewerUrl"] as const).find((name) => {
    const { hostname, protocol } = new URL(urls[name])
    return protocol === "http:" && !isLoopback(hostname)
  })
  if (plain !== undefined) {
    return (
      `Keys and cookies go unencrypted to ${new URL(urls[plain]).origin}: put a proxy with TLS before the host, and name its https URL by ` +
      `${plain === "url" ? "SLIPWAY_URL" : "SLIPWAY_VIEWER_URL"}.`
    )
  }
  return new URL(urls.url).protocol === "http:" && !isLoopback(listens.includes(":") ? `[${listens}]` : listens)
    ? `The host listens on ${listens} without TLS, so keys and cookies of other machines go unencrypted: listen on 127.0.0.1 by ` +
        "SLIPWAY_HOST, or put a proxy with TLS before the host, and name its https URL by SLIPWAY_URL."
    : undefined
}

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

type Urls = Pick<SettingsShape, "url" | "viewerUrl" | "contentUrl">

/**
 * One line of warning when uploaded code is served from the host name of the pages; `undefined` when nothing is wrong. A
 * host that only its own machine can reach needs no host name of its own for uploads.
 */
export const contentWarning = (urls: Urls): string | undefined => {
  const [api, viewer, content] = [new URL(urls.url), new URL(urls.viewerUrl), new URL(urls.contentUrl)]
  if ([api, viewer].every(({ hostname }) => isLoopback(hostname))) return undefined
  if (content.hostname === viewer.hostname) {
    return (
      `Uploaded code is served from ${viewer.hostname}, the host name of the pages where people sign in: ` +
      "give it another one by SLIPWAY_CONTENT_URL."
    )
  }
  return viewer.protocol === "https:" && content.protocol === "http:"
    ? `SLIPWAY_CONTENT_URL is http and the viewer https: browsers load no uploaded app from ${content.origin} there.`
    : undefined
}
