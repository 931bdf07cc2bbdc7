import type { SettingsShape } from "../../core/service/Settings.ts"
import { isLoopback } from "./loopback.ts"

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
