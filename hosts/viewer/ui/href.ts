import type { Site } from "../access/site.ts"

/**
 * A URL as a page leads to it: by its path where it is the viewer's, so that a page that was opened at another name of
 * the host leads to no other.
 */
export const hrefOf = ({ origin }: Site["Service"], url: string): string =>
  url.startsWith(`${origin}/`) ? url.slice(origin.length) : url
