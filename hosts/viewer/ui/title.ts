import { html, type Html } from "./html.ts"

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
