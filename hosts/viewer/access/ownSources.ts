import type { BaseUrl } from "./site.ts"

const hostForm = /^(?=.{1,259}$)[A-Za-z0-9.-]+(?::\d{1,5})?$/

/**
 * Everything below a path as sources of a content security policy: at the configured URL, and at the host that the
 * browser requested.
 */
export const ownSources = ({ base, origin }: BaseUrl, host: string | undefined, below: string): string => {
  const path = base + below
  const asked = host !== undefined && hostForm.test(host) && !origin.endsWith(`//${host}`) ? ` ${host}${path}` : ""
  return origin + path + asked
}
