import type { SettingsShape } from "../../core/service/Settings.ts"
import { isLoopback } from "./loopback.ts"

/**
 * One line of warning when people or CI reach the host by plain HTTP under a name that other machines can use; `undefined` when
 * nothing is wrong.
 */
export const plainHttpWarning = (urls: Pick<SettingsShape, "url" | "viewerUrl">): string | undefined => {
  const plain = (["url", "viewerUrl"] as const).find((name) => {
    const { hostname, protocol } = new URL(urls[name])
    return protocol === "http:" && !isLoopback(hostname)
  })
  return plain === undefined
    ? undefined
    : `Keys and cookies go unencrypted to ${new URL(urls[plain]).origin}: put a proxy with TLS before the host, and name its https URL by ` +
        `${plain === "url" ? "SLIPWAY_URL" : "SLIPWAY_VIEWER_URL"}.`
}
