/** Paths as logs and traces may show them: without what may be a secret. */

/** The parts of routes that stand for an id. Any other may stand for a secret. */
const idParts = new Set([":id", ":link", ":index"])

/** The formats of Slipway's ids: a UUID, the id of a preview, a number. Any other text in a request may be a secret. */
const idForm = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Za-z]{22}|\d{1,6})$/

/** A part that is too short to be a secret. */
const shortForm = /^[\w.-]{0,20}$/

const partsOf = (url: string): ReadonlyArray<string> => url.replace(/[?#].*$/s, "").split("/")

/**
 * The path of a request: its route with the requested ids. It lacks the query and everything that isn't an id, such as
 * the secret of a share link or a signature. `undefined` without a known route.
 */
export const pathOfRoute = (route: string | undefined, url: string): string | undefined => {
  const given = partsOf(url)
  return route
    ?.split("/")
    .map((part, index) => {
      const asked = given[index] ?? ""
      return idParts.has(part) && idForm.test(asked) ? asked : part
    })
    .join("/")
}

/** The path of a request whose route nobody knows: each part that is neither an id nor short is left out. */
export const pathWithoutSecrets = (url: string): string =>
  partsOf(url)
    .map((part) => (idForm.test(part) || shortForm.test(part) ? part : "…"))
    .join("/")
