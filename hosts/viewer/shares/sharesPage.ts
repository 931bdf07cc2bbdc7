import { DateTime } from "effect"
import type { HttpServerResponse } from "effect/http"
import { html, rawHtml, type Html } from "../ui/html.ts"
import { encodeQR } from "qr"
import type { ShareLink, ShareLinkId } from "../../../core/model/Resource.ts"
import { isOpen } from "../../../core/rules/credentials.ts"
import { paths, type Path } from "../access/paths.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { paging } from "../ui/paging.ts"
import { timeHtml } from "../ui/text.ts"

/** The lifetimes on offer, in seconds by label. */
export const lives = { "1 hour": 3600, "1 day": 86_400, "7 days": 604_800, "30 days": 2_592_000, "90 days": 7_776_000 }

/** The shared resource and its links. */
interface SharesFacts {
  /** The description of the shared resource, and the path of its page. */
  readonly what: string
  readonly path: Path
  readonly links: ReadonlyArray<ShareLink>
  /**
   * `after` is the link after which this page begins, `next` the one after which the next page does, if there is one.
   */
  readonly after: ShareLinkId | undefined
  readonly next?: ShareLinkId
  /** The URL of a new link, which is shown only once. */
  readonly made?: string | undefined
  readonly now: DateTime.Utc
}

const madeSection = (url: string): Html =>
  html`<section class="card made" aria-labelledby="made">
    <h2 id="made">The link</h2>
    <p>Anyone with this link can open the page without a key until the link ends. The link is shown only once.</p>
    <div class="copy">
      <label for="link">Link</label>
      <input id="link" readonly value="${url}" />
    </div>
    <div class="qr" role="img" aria-label="The link as a QR code">${rawHtml(encodeQR(url, "svg", { border: 2 }))}</div>
  </section>`

const stateOf = (link: ShareLink, now: DateTime.Utc): Html =>
  link.revokedAt === undefined
    ? html`${isOpen(link, now) ? "ends" : "ended"} ${timeHtml(link.expiresAt)}`
    : html`revoked ${timeHtml(link.revokedAt)}`

const linkItem = (base: string, path: Path, link: ShareLink, now: DateTime.Utc): Html => {
  const open = isOpen(link, now)
  const made = DateTime.formatIso(link.createdAt).slice(0, 16).replace("T", " ")
  return html`<li>
    <span>
      <span class="name">Made ${timeHtml(link.createdAt)}</span>
      <span class="type">${stateOf(link, now)}</span>
    </span>
    ${
      open
        ? html`<form method="post" action="${base + paths.shares(path)}/${link.id}/revoke">
            <button class="quiet" aria-label="Revoke the link made ${made} UTC">Revoke</button>
          </form>`
        : html`<span class="pill expired">Ended</span>`
    }
  </li>`
}

/** The page of the links to one resource, to create, list and revoke them. */
export const sharesPage = (
  context: PageContext,
  { after, links, made, next, now, path, what }: SharesFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: `Share ${what}`,
    styles: ["shares"],
    script: made === undefined ? undefined : "share",
    main: html`<div class="title">
        <h1>Share ${what}</h1>
        <p class="at">
          <a href="${base}${path}">Back to its page</a>
        </p>
      </div>
      <div class="columns pair">
        <div class="stack">
          ${made === undefined ? "" : madeSection(made)}
          <form class="card" method="post" action="${base + paths.shares(path)}">
            <h2>New link</h2>
            <p>The link opens this page, read-only, for people without a key. You can revoke it at any time.</p>
            <label for="life">Expires after</label>
            <select id="life" name="seconds">
              ${Object.entries(lives).map(
                ([label, seconds]) =>
                  html`<option value="${seconds}" ${label === "7 days" ? "selected" : ""}>${label}</option>`
              )}
            </select>
            <button>Make a link</button>
          </form>
        </div>
        <section class="card" aria-labelledby="links">
          <h2 id="links">Links <span class="count">${links.length}</span></h2>
          ${
            links.length === 0
              ? html`<p>There are no links. Only keys of this account open this page.</p>`
              : html`<ul class="list">
                  ${links.map((link) => linkItem(base, path, link, now))}
                </ul>`
          }
          ${paging(
            "Pages of links",
            after === undefined ? undefined : `${base + paths.shares(path)}`,
            next === undefined ? undefined : `${base + paths.shares(path)}?after=${next}`
          )}
        </section>
      </div>`
  })
}
