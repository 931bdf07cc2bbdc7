/** Where the pages are: the URL of the viewer, the paths of its pages, and the programs that the host provides. */
import { Context, Effect, Layer } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Repository } from "../../../core/model/Repository.ts"
import { imageType } from "../../../core/rules/site.ts"
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
    /** The origins that may frame the app of a build or preview. */
    readonly frameAncestors: ReadonlyArray<string>
    readonly name: string
    /** The logo of the site, with the path at which pages load it. */
    readonly logo: { readonly path: Path; readonly bytes: Uint8Array; readonly contentType: string } | undefined
  }
>()("slipway/hosts/viewer/Site") {
  static readonly layer = Layer.effect(
    Site,
    Effect.map(Settings, ({ contentUrl, frameAncestors, siteLogo: bytes, siteName: name, viewerUrl }) => {
      const viewer = baseUrlOf(viewerUrl)
      const contentType = bytes && imageType(bytes)
      const logo = bytes && contentType && { path: "/logo" as const, bytes, contentType }
      return Site.of({
        ...viewer,
        url: viewerUrl,
        content: contentUrlOf(contentUrl, viewer),
        frameAncestors,
        name,
        logo
      })
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

/** A branch of a repository; the default one where it has no name. */
export interface Branch extends Pick<Repository, "owner" | "repo"> {
  readonly branch?: string | undefined
}

/** The branch that a part of a path names: `acme/app/main`, or `acme/app` for the default branch. */
export const branchIn = (part: string): Branch | undefined => {
  const [, owner, repo, branch] = /^([^/]{1,100})\/([^/]{1,100})(?:\/(.{1,255}))?$/.exec(part) ?? []
  return owner === undefined || repo === undefined || /\p{Cc}|\p{Cs}/u.test(part) ? undefined : { owner, repo, branch }
}

const branchPart = ({ branch, owner, repo }: Branch): string =>
  encodeURIComponent([owner, repo, ...(branch === undefined ? [] : [branch])].join("/"))

/** A path of the viewer, below its base. */
export type Path = `/${string}`

/** The paths of the pages. A link leads to `site.base + path`; people and the API's clients get `site.url + path`. */
export const paths = {
  repository: ({ owner, repo }: Pick<Repository, "owner" | "repo">): Path =>
    `/repositories?${new URLSearchParams({ owner, repo })}`,
  build: (id: string): Path => `/builds/${id}`,
  preview: (id: string): Path => `/previews/${id}`,
  /** A preview with the recorded steps of its run, ready to be played; or a build or preview with those of another run. */
  replaySteps: (page: Path, run = ""): Path => `${page}?steps${run === "" ? "" : `=${run}`}#flow`,
  run: (id: string): Path => `/runs/${id}`,
  /** The history of a test on a branch, or on all. */
  test: (id: string, branch: string | undefined): Path =>
    `/tests/${id}?${new URLSearchParams({ branch: branch ?? "" })}`,
  /** The history of a test on the default branch of its repository. */
  testOnDefault: (id: string): Path => `/tests/${id}`,
  /** Where the forms of a test's quarantine lead. */
  quarantine: (id: string): Path => `/tests/${id}/quarantine`,
  /** Every run of a repository and a source, such as a workflow run of CI; of one app where it is given. */
  source: ({ owner, repo }: Pick<Repository, "owner" | "repo">, source: string, app?: string): Path =>
    `/sources?${new URLSearchParams({ owner, repo, source, ...(app === undefined ? {} : { app }) })}`,
  /** The badge of a branch, and the feed of its breaks and fixes. */
  badge: (branch: Branch): Path => `/badges/${branchPart(branch)}`,
  feed: (branch: Branch): Path => `/feeds/${branchPart(branch)}`,
  compare: (left: string, right: string): Path => `/compare?${new URLSearchParams({ left, right })}`,
  shared: (secret: string): Path => `/shared/${secret}`,
  /** The app of a build or preview in the full window. */
  replay: (page: Path): Path => `${page}/replay`,
  /** The app alone, for a frame in a page of another site. */
  embed: (page: Path): Path => `${page}/embed`,
  /** The app of a build or preview beside another: that of an id, or the newest of the default branch. */
  compareApps: (page: Path, other?: string): Path =>
    other === undefined ? `${page}/compare` : `${page}/compare?${new URLSearchParams({ with: other })}`,
  /** The page with the share links of a resource. */
  shares: (page: Path): Path => `${page}/shares`,
  /** Where the forms lead that keep what a page shows, and release it. */
  keep: (page: Path): Path => `${page}/keep`,
  release: (page: Path): Path => `${page}/release`,
  /** The page that asks whether what a page shows is to be deleted. */
  deletion: (page: Path): Path => `${page}/delete`
}

/** Redirects the browser with a GET to a path of the viewer. */
export const goTo = (site: Pick<Site["Service"], "base">, path: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(site.base + path, { status: 303, headers: { "cache-control": "no-store" } })

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

/** A file of a program that the host provides under `/cli/`. */
export interface ProgramFile {
  readonly name: string
  readonly contentType: string
  readonly content: Uint8Array
  /** The SHA-512 of the content, as `integrity` attributes and lockfiles have it. */
  readonly integrity: string
}

/** The programs that the host provides, so that their version is always the host's; undefined where a server has none. */
export const Programs = Context.Reference<Effect.Effect<ReadonlyArray<ProgramFile>> | undefined>(
  "slipway/hosts/viewer/Programs",
  { defaultValue: () => undefined }
)
