import { HttpServerResponse } from "effect/http"
import type { Site } from "./site.ts"

/** Redirects the browser with a GET to a path of the viewer. */
export const goTo = (site: Pick<Site["Service"], "base">, path: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(site.base + path, { status: 303, headers: { "cache-control": "no-store" } })
