/** The requests of a page to the scripts that the bridge loads into the app's frame when one is first asked. */

/** The scripts that are asked. */
const names = ["flows", "inspector"] as const
export type Asked = (typeof names)[number]

const mark = "slipway-request"

/** The event by which the bridge passes a request to a script in the frame. */
export const requestEvent = (to: Asked): string => `replay-${to}`

/** A request as the page posts it. */
export const posted = (to: Asked, request: object): unknown => ({ [mark]: to, request })

/** The request in a message of the page. */
export const requestIn = (data: unknown): { readonly to: Asked; readonly request: unknown } | undefined => {
  if (typeof data !== "object" || data === null || !(mark in data) || !("request" in data)) return undefined
  const to = names.find((name) => name === data[mark])
  return to === undefined ? undefined : { to, request: data.request }
}
