import { html, type Html } from "./html.ts"
import { accountPages } from "./accountPages.ts"
import type { PageContext } from "./layout.ts"
import { pageTitle } from "./title.ts"

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
