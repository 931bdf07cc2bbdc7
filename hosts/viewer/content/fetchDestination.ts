import type { HttpServerRequest } from "effect/http"

/**
 * What a browser requests something for, from `Sec-Fetch-Dest`: `document` for a page, `iframe`, `image` and so on.
 * `undefined` if the header is missing: browsers omit it over plain HTTP, except to names of the local machine.
 */
export const fetchDestination = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined =>
  headers["sec-fetch-dest"]

/** Media and text: a page of such a type has a layout that only the browser decides. */
const plainTypes =
  /^(?:(?:audio|font|image|video)\/(?!.*\+xml)|text\/(?:css|csv|javascript|plain)(?:;|$)|application\/(?:(?:x-)?javascript|json|x-ndjson)(?:;|$))/i

/**
 * Whether an uploaded file must be saved instead of opened as a page, because it could imitate a page of the viewer:
 * HTML, XML, SVG, and every type not known to be harmless. Pages may embed it in any case.
 */
export const isSavedAsPage = (contentType: string, destination: string | undefined): boolean =>
  (destination === undefined || destination === "document") && !plainTypes.test(contentType)
