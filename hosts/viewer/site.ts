import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Settings } from "../../core/service/Settings.ts"

/** Where people reach the viewer, by `Settings.viewerUrl`. */
export class Site extends Context.Service<
  Site,
  {
    /** Scheme, host and port. */
    readonly origin: string
    /** What stands before every path of the viewer, for a proxy to take away; empty or `/…` without a slash at its end. */
    readonly base: string
  }
>()("slipway/hosts/viewer/Site") {
  static readonly layer = Layer.effect(
    Site,
    Effect.map(Settings, ({ viewerUrl }) => {
      const { origin, pathname } = new URL(viewerUrl)
      // What would end a source in a content security policy is legal in a path.
      const base = pathname.replace(/\/+$/, "").replaceAll(";", "%3B").replaceAll(",", "%2C")
      return Site.of({ origin, base })
    })
  )
}

/** Whether cookies of the site travel over HTTPS only. */
export const isSecure = (site: Site["Service"]): boolean => site.origin.startsWith("https:")

/**
 * Whether a browser sent the request from a page of another site, or from one without an origin such as a sandboxed
 * frame. What sends neither `Origin` nor `Sec-Fetch-Site` is no browser that could be led astray.
 */
export const isForeign = (site: Site["Service"], request: HttpServerRequest.HttpServerRequest): boolean => {
  const { host, origin, "sec-fetch-site": fetchSite } = request.headers
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return true
  if (origin === undefined || origin === site.origin) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}

const localPath = /^(?!.*\/\/)\/[\x21-\x5b\x5d-\x7e]{0,2047}$/

/** The path when it leads nowhere but to this site, else `/`. */
export const toLocalPath = (path: string | undefined): string =>
  path !== undefined && localPath.test(path) ? path : "/"
