import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Settings } from "../../../core/service/Settings.ts"

/** Where something is reached: an origin, and what stands before every path there, for a proxy to take away. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** Empty, or `/…` without a slash at its end. */
  readonly base: string
}

/** Where uploaded content is reached. */
export interface ContentUrl extends BaseUrl {
  /** Host and port. */
  readonly host: string
  /** Whether that is another host than the viewer's. */
  readonly isApart: boolean
  /** What stands before the path of uploaded content in a link on a page: the base, or the origin and the base. */
  readonly prefix: string
}

const baseUrlOf = (url: string): BaseUrl => {
  const { origin, pathname } = new URL(url)
  // A path may hold characters that would end a source in a content security policy.
  const base = pathname.replace(/\/+$/, "").replaceAll(";", "%3B").replaceAll(",", "%2C")
  return { origin, base }
}

const contentUrlOf = (url: string, viewer: BaseUrl): ContentUrl => {
  const content = baseUrlOf(url)
  const { host } = new URL(url)
  const isApart = host !== new URL(viewer.origin).host
  return { ...content, host, isApart, prefix: isApart ? content.origin + content.base : content.base }
}

/**
 * Where people reach the viewer, by `Settings.viewerUrl`, and `content`, what was uploaded, by `Settings.contentUrl`.
 */
export class Site extends Context.Service<
  Site,
  BaseUrl & {
    /** The viewer's base URL as it was set: what is shown to people begins with it. */
    readonly url: string
    readonly content: ContentUrl
  }
>()("slipway/hosts/viewer/Site") {
  static readonly layer = Layer.effect(
    Site,
    Effect.map(Settings, ({ contentUrl, viewerUrl }) => {
      const viewer = baseUrlOf(viewerUrl)
      return Site.of({ ...viewer, url: viewerUrl, content: contentUrlOf(contentUrl, viewer) })
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
