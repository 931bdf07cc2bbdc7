import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "./html.ts"
import type { Account } from "../../../core/model/Account.ts"
import { ownSources } from "../access/ownSources.ts"
import { accountPages } from "./accountPages.ts"
import type { Assets, ScriptName, StyleName } from "./assets.ts"
import type { Site } from "../access/site.ts"
import { darkStylesheet, document } from "./document.ts"
import { themes, type Theme } from "./theme.ts"

/** The context of a page: its address, and who views it. */
export interface PageContext {
  readonly site: Site["Service"]
  readonly assets: Assets["Service"]
  /** The host that the browser asked. */
  readonly host: string | undefined
  /** When the page was requested, in milliseconds, so before what it shows was read. */
  readonly askedAt?: number | undefined
  /** Whether the page is viewed through a share link: read-only, and without links to other pages. */
  readonly shared?: boolean | undefined
  /** The way to sign in beside keys, if there is one. */
  readonly otherSignIn?: { readonly name: string; readonly path: string } | undefined
  /** Whether the host provides its command-line programs, at `/cli`. */
  readonly hasPrograms?: boolean | undefined
  /** Whether the viewer keeps the sessions of who is signed in, and so can list them. */
  readonly hasSessions?: boolean | undefined
  /** Whether who is signed in may delete what the page shows, beside seeing it. */
  readonly mayDelete?: boolean | undefined
  /** Whether who is signed in is an owner of the account: may administer it. */
  readonly mayAdminister?: boolean | undefined
  /** The theme that the browser chose. */
  readonly theme?: Theme | undefined
  /** The account that is signed in, if one is. */
  readonly account?: Pick<Account, "id" | "name"> | undefined
}

/** A page above another: what it is called, and its path in the viewer. */
export interface Step {
  readonly name: string
  readonly path: string
}

/** The links from a page to the pages above it, starting with the account's. Only for people who are signed in. */
const trail = ({ account, site }: PageContext, steps: ReadonlyArray<Step>): Html | undefined =>
  account === undefined
    ? undefined
    : html`<nav class="trail" aria-label="Where this is">
        ${[{ name: account.name, path: "/" }, ...steps].map(
          ({ name, path }) => html`<a href="${site.base}${path}"><bdi>${name}</bdi></a>`
        )}
      </nav>`

/** The pages of an account, the theme and the sign-out. It opens without a script too. */
const menu = (context: PageContext): Html => {
  const { account, site, theme = "system" } = context
  const link = (path: string, name: string, kind = "") =>
    html`<a ${kind === "" ? "" : html`class="${kind}"`} href="${site.base}${path}">${name}</a>`
  return html`<details class="menu">
    <summary>Menu</summary>
    <div>
      ${account === undefined ? "" : html`<span class="name"><bdi>${account.name}</bdi></span>`}
      ${link("/search", "Search", "search")} ${accountPages(context).map(([path, name]) => link(path, name))}
      ${link("/docs", "API reference")}
      <label hidden
        >Theme
        <select class="theme">
          ${Object.entries(themes).map(
            ([value, name]) => html`<option value="${value}" ${value === theme ? "selected" : ""}>${name}</option>`
          )}
        </select></label
      >
      <form method="post" action="${site.base}/sign-out">
        <button class="quiet">Sign out</button>
      </form>
    </div>
  </details>`
}

const who = (context: PageContext, status: number): Html | undefined => {
  const { account, shared, site } = context
  if (shared === true) return status === 200 ? html`<p class="who">Shared by a link, read-only</p>` : undefined
  return account === undefined
    ? undefined
    : html`<form class="search" method="get" action="${site.base}/search" role="search" aria-label="Everything">
          <input
            type="search"
            name="q"
            aria-label="Search tests, branches, commits and pull requests"
            placeholder="Search (Ctrl-K)"
            aria-keyshortcuts="Control+K Meta+K"
            maxlength="1024"
            autocomplete="off"
            accesskey="k"
          />
        </form>
        ${menu(context)}`
}

const brand = ({ shared, site }: PageContext): Html =>
  shared === true ? html`<span class="brand">Slipway</span>` : html`<a class="brand" href="${site.base}/">Slipway</a>`

/** Where the viewer serves its icon. */
export const iconUrl = (site: Site["Service"]): string => `${site.base}/icon.svg`

/** The origin of uploaded content, where that isn't the viewer's. */
export const contentOrigin = ({ content }: Site["Service"]): string | undefined =>
  content.isApart ? content.origin : undefined

/** Where the viewer serves a script of its own, and by which sources a content security policy allows it. */
export const scriptOf = ({ assets, host, site }: PageContext, name: ScriptName) => {
  const path = assets.pathOf(name)
  return { url: site.base + path, sources: ownSources(site, host, path) }
}

/** A page with the viewer's header around `main`. */
export const page = (
  context: PageContext,
  options: {
    readonly title: string
    readonly main: Html
    /** The pages above it, below the account's. */
    readonly trail?: ReadonlyArray<Step> | undefined
    readonly status?: number | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
    readonly refreshSeconds?: number | undefined
    readonly preview?: Readonly<Record<string, string>> | undefined
    /** The page's script, where it has another than every page; the page is complete without it. */
    readonly script?: ScriptName | undefined
    /** What that runs beside the page. */
    readonly worker?: ScriptName | undefined
    /** What that imports when it needs it. */
    readonly imported?: ReadonlyArray<ScriptName> | undefined
    /** Stylesheets beside that of every page. */
    readonly styles?: ReadonlyArray<StyleName> | undefined
  }
): HttpServerResponse.HttpServerResponse =>
  document({
    ...options,
    theme: context.theme,
    script: scriptOf(context, options.script ?? "every"),
    worker: options.worker === undefined ? undefined : scriptOf(context, options.worker),
    imported: options.imported?.map((name) => scriptOf(context, name)),
    title: `${options.title} · Slipway`,
    styles: [
      context.assets.styleOf("page"),
      darkStylesheet(context.assets.styleTextOf("dark"), context.theme ?? "system"),
      ...(options.styles ?? []).map(context.assets.styleOf)
    ],
    icon: iconUrl(context.site),
    contentOrigin: contentOrigin(context.site),
    body: html`<header class="top" ${options.script === "live" ? html`data-asked-at="${context.askedAt}"` : ""}>
        <div>${brand(context)} ${trail(context, options.trail ?? [])} ${who(context, options.status ?? 200)}</div>
      </header>
      <main>${options.main}</main>`
  })
