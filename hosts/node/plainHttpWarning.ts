import type { SettingsShape } from "../../core/service/Settings.ts"
import { isLoopback } from "./loopback.ts"

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
