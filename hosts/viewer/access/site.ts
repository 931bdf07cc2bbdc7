import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Settings } from "../../../core/service/Settings.ts"

/** An origin, and the path prefix that a proxy removes. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** Empty, or `/…` without a slash at its end. */
  readonly base: string
}

/** The address of uploaded content. */
export interface ContentUrl extends BaseUrl {
  /** Host and port. */
  readonly host: string
  /** Whether uploaded content has another host than the viewer. */
  readonly isApart: boolean
  /** The start of a link to uploaded content: the base, preceded by the origin if that isn't the viewer's. */
  readonly prefix: string
}

const baseUrlOf = (url: string): BaseUrl => {
  const { origin, pathname } = new URL(url)
  // A path may contain characters that would end a source in a content security policy.
  const base = pathname.replace(/\/+$/, "").replaceAll(";", "%3B").replaceAll(",", "%2C")
  return { origin, base }
}

const contentUrlOf = (url: string, viewer: BaseUrl): ContentUrl => {
  const content = baseUrlOf(url)
  const { host } = new URL(url)
  const isApart = host !== new URL(viewer.origin).host
  return { ...content, host, isApart, prefix: isApart ? content.origin + content.base : content.base }
}

/** The address of the viewer, from `Settings.viewerUrl`, and `content`, that of uploads, from `Settings.contentUrl`. */
export class Site extends Context.Service<
  Site,
  BaseUrl & {
    /** The viewer's base URL as configured. URLs shown to people begin with it. */
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

/** Whether the site's cookies are sent only over HTTPS. */
export const isSecure = (site: Site["Service"]): boolean => site.origin.startsWith("https:")

/**
 * Whether a browser sent the request from a page of another site, or from a page without an origin such as a sandboxed
 * frame. A client that sends neither `Origin` nor `Sec-Fetch-Site` is not a browser, so nobody can have tricked it into
 * the request.
 */
export const isForeign = (site: Site["Service"], request: HttpServerRequest.HttpServerRequest): boolean => {
  const { host, origin, "sec-fetch-site": fetchSite } = request.headers
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return true
  if (origin === undefined || origin === site.origin) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}

const localPath = /^(?!.*\/\/)\/[\x21-\x5b\x5d-\x7e]{0,2047}$/

/** The path if it leads to this site, else `/`. */
export const toLocalPath = (path: string | undefined): string =>
  path !== undefined && localPath.test(path) ? path : "/"
