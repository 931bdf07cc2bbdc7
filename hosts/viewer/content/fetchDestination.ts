import type { HttpServerRequest } from "effect/http"

/**
 * What a browser asks for something for, as `Sec-Fetch-Dest` says it: `document` for a page of its own, `iframe`, `image`
 * and so on. `undefined` where it doesn't say: no browser does over plain HTTP, but for names of its own machine.
 */
export const fetchDestination = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined =>
  headers["sec-fetch-dest"]

/** Media and text: of these a browser makes a page in which nobody but the browser decides what is shown where. */
const plainTypes =
  /^(?:(?:audio|font|image|video)\/(?!.*\+xml)|text\/(?:css|csv|javascript|plain)(?:;|$)|application\/(?:(?:x-)?javascript|json|x-ndjson)(?:;|$))/i

/**
 * Whether an uploaded file has to be saved where it would be a page, as it might show what passes for one of the viewer's:
 * HTML, XML, SVG, and every other type that isn't known to be plain. Part of a page it may be in any case.
 */
export const isSavedAsPage = (contentType: string, destination: string | undefined): boolean =>
  (destination === undefined || destination === "document") && !plainTypes.test(contentType)
