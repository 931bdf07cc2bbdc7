import type { BaseUrl } from "./site.ts"

const hostForm = /^(?=.{1,259}$)[A-Za-z0-9.-]+(?::\d{1,5})?$/

/** What lies below a path of a place, as sources: by its URL, and by the host that the browser asked. */
export const ownSources = ({ base, origin }: BaseUrl, host: string | undefined, below: string): string => {
  const path = base + below
  const asked = host !== undefined && hostForm.test(host) && !origin.endsWith(`//${host}`) ? ` ${host}${path}` : ""
  return origin + path + asked
}
