/** The frame of a page: its header, its title, and the pages of an account and of single messages. */
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Account } from "../../../core/model/Account.ts"
import type { InsufficientScope, NotFound, RateLimited } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { reportedText } from "../../http/problems.ts"
import { OtherSignIn } from "../access/ownSessions.ts"
import { ownSources, Programs, Site } from "../access/site.ts"
import { Assets, darkStylesheet, document, type ScriptName, type StyleName } from "./document.ts"
import { html, type Html } from "./html.ts"
import { isTheme, type Theme, themeCookie, themes } from "./theme.ts"

/** The context of a page: its address, and who views it. */
export interface PageContext {
  readonly site: Site["Service"]
  readonly assets: Assets["Service"]
  /** The host that the browser asked. */
  readonly host: string | undefined
  /** Whether the page is viewed through a share link: read-only, and without links to other pages. */
  readonly shared?: boolean | undefined
  /** Whether it is loaded into the frame of a page that may frame apps: then it has no links that leave a message there. */
  readonly inFrame?: boolean | undefined
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
const trail = ({ account, inFrame, site }: PageContext, steps: ReadonlyArray<Step>): Html | undefined =>
  account === undefined || inFrame === true
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
  const { account, inFrame, shared, site } = context
  if (inFrame === true) return undefined
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

const brand = ({ inFrame, shared, site: { base, logo, name } }: PageContext): Html => {
  const kind = logo === undefined ? "brand" : "brand own"
  const shown = html`${logo === undefined ? "" : html`<img src="${base}${logo.path}" alt="" />`}<bdi>${name}</bdi>`
  return shared === true || inFrame === true
    ? html`<span class="${kind}">${shown}</span>`
    : html`<a class="${kind}" href="${base}/">${shown}</a>`
}

/** Where the viewer serves its icon. */
export const iconUrl = ({ base, logo }: Site["Service"]): string => base + (logo?.path ?? "/icon.svg")

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
    frameAncestors: context.inFrame === true ? context.site.frameAncestors : undefined,
    script: scriptOf(context, options.script ?? "every"),
    worker: options.worker === undefined ? undefined : scriptOf(context, options.worker),
    imported: options.imported?.map((name) => scriptOf(context, name)),
    title: `${options.title} · ${context.site.name}`,
    styles: [
      context.assets.styleOf("page"),
      darkStylesheet(context.assets.styleTextOf("dark"), context.theme ?? "system"),
      ...(options.styles ?? []).map(context.assets.styleOf)
    ],
    icon: iconUrl(context.site),
    contentOrigin: contentOrigin(context.site),
    body: html`<header class="top">
        <div>${brand(context)} ${trail(context, options.trail ?? [])} ${who(context, options.status ?? 200)}</div>
      </header>
      <main>${options.main}</main>`
  })

/** What a page begins with. */
interface Title {
  /** What the page is. */
  readonly heading: Html | string
  /** Its status, beside the heading. */
  readonly status?: Html | undefined
  /** Where it comes from, below the heading. */
  readonly at?: Html | undefined
  /** Links and buttons, at the right. */
  readonly actions?: Html | undefined
  /** What follows, over the whole width. */
  readonly below?: Html | undefined
  /** The status that the page's script compares. */
  readonly watched?: string | undefined
}

/** The heading of a page, with its status, its actions and where it comes from. */
export const pageTitle = ({ actions, at, below, heading, status, watched }: Title): Html =>
  html`<div class="title" ${watched === undefined ? "" : html`data-status="${watched}"`}>
    <div class="headline">
      <h1>${heading}</h1>
      ${status}
    </div>
    ${at === undefined ? "" : html`<p class="at">${at}</p>`}
    ${actions === undefined ? "" : html`<p class="doing">${actions}</p>`} ${below}
  </div>`

/** The title of a page of the account, with links to the others. `path` is that of the page, or of the one above it. */
export const accountTitle = (
  context: PageContext,
  {
    at,
    heading,
    path,
    status
  }: {
    readonly heading: Html | string
    readonly path: string
    readonly at: Html | string
    readonly status?: Html | undefined
  }
): Html =>
  pageTitle({
    heading,
    status,
    at: html`${at}`,
    below: html`<nav class="tabs" aria-label="Of this account">
      ${accountPages(context).map(
        ([to, name]) =>
          html`<a href="${context.site.base}${to}" ${to === path ? html`aria-current="page"` : ""}>${name}</a>`
      )}
    </nav>`
  })

/** The pages of an account that only owners see, and those that everyone sees: their paths and names. */
const ownerPages = {
  "/account/keys": "API keys",
  "/account/repositories": "Repositories",
  "/account/webhooks": "Webhooks",
  "/account/retention": "Retention"
}
const pages = { "/usage": "Usage", "/audit": "Audit log" }

/** The pages of the account for who is signed in: their paths and names. */
const accountPages = ({
  hasSessions,
  mayAdminister
}: {
  readonly hasSessions?: boolean | undefined
  readonly mayAdminister?: boolean | undefined
}): ReadonlyArray<readonly [path: string, name: string]> =>
  Object.entries({
    ...(mayAdminister === true ? ownerPages : {}),
    ...pages,
    ...(hasSessions === true ? { "/sessions": "Sessions" } : {})
  })

/** One message, and a link where there is one; `to` is a path of the viewer. */
interface Message {
  readonly title: string
  readonly text: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly link?: { readonly to: string; readonly label: string } | undefined
}

/** A page with one message. */
export const messagePage = (
  context: PageContext,
  { headers, link, status, text, title }: Message
): HttpServerResponse.HttpServerResponse =>
  page(context, {
    title,
    status,
    headers,
    main: html`<section class="card narrow">
      <h1>${title}</h1>
      <p>${text}</p>
      ${
        link === undefined
          ? ""
          : html`<p>
              <a
                class="button"
                href="${context.site.base + link.to}"
                ${context.inFrame === true ? html`target="_blank"` : ""}
                >${link.label}</a
              >
            </p>`
      }
    </section>`
  })

type ShownProblem = NotFound | RateLimited | InsufficientScope | WriteFailure

const messageOf = (context: PageContext, problem: ShownProblem, to: string): Omit<Message, "status"> => {
  switch (problem._tag) {
    case "NotFound":
      return {
        title: "Nothing here",
        text:
          context.account === undefined
            ? "No page has this address. Check that you copied the whole link."
            : "No page has this address, or the page belongs to another account.",
        link: context.account && { to: "/", label: "See what is there" }
      }
    case "InsufficientScope": {
      const scopes = problem.requiredScopes
      const lacking = `the scope${scopes.length === 1 ? "" : "s"} ${scopes.join(" and ")}`
      return context.hasSessions === true
        ? {
            title: "This key may not look here",
            text: `To see this, sign in with a key that has ${lacking}.`,
            link: { to: `/sign-in?${new URLSearchParams({ to })}`, label: "Sign in with another key" }
          }
        : {
            title: "You may not look here",
            text: `To see this, you need ${lacking}. Ask the person who gave you access.`
          }
    }
    case "RateLimited":
      return {
        title: "Too many attempts",
        text: problem.detail,
        headers: { "retry-after": `${problem.retryAfterSeconds}` }
      }
    case "Unavailable":
      return {
        title: "Temporarily unavailable",
        text: "A part of the service can't be reached. Nothing is lost. Try again in a moment.",
        headers: { "retry-after": "5" }
      }
    case "InsufficientStorage":
      return {
        title: "The disk is full",
        text: "The disk of the service is full, so nothing was changed. Its operator has to free space first."
      }
  }
}

/** A problem as a page, with the text of `onProblem`. `to` is the path that was requested, to open it with another key. */
export const problemPage = Effect.fnUntraced(function* (context: PageContext, problem: ShownProblem, to = "/") {
  const message = messageOf(context, problem, to)
  const text = yield* reportedText(problem, message.text)
  return messagePage(context, { ...message, text, status: problem.status })
})

export const linkEndedPage = (context: PageContext) =>
  messagePage(context, {
    status: 410,
    title: "This link has ended",
    text: "Share links expire and can be revoked. Ask the person who sent you this one for another."
  })

export const foreignPage = (context: PageContext) =>
  messagePage(context, {
    status: 403,
    title: "Not from this page",
    text: "The form was sent from another site, so nothing was changed.",
    link: { to: "/", label: "To the start" }
  })

/** The context of a page for a request whose sender isn't known yet. */
export const pageContext = Effect.gen(function* () {
  const { cookies, headers, url } = yield* HttpServerRequest.HttpServerRequest
  const site = yield* Site
  return {
    site,
    // Only the app alone may be framed, so only what is answered in its place.
    inFrame: site.frameAncestors.length > 0 && headers["sec-fetch-dest"] === "iframe" && /\/embed(?:\?|$)/.test(url),
    assets: yield* Assets,
    host: headers["host"],
    theme: isTheme(cookies[themeCookie]) ? cookies[themeCookie] : "system",
    otherSignIn: yield* OtherSignIn,
    hasPrograms: (yield* Programs) !== undefined
  } satisfies PageContext
})
