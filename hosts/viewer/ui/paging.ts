import { html } from "ghtml"

/** Where a list goes on, and where it begins: what is `undefined` isn't offered. */
export const paging = (label: string, first: string | undefined, next: string | undefined): string =>
  first === undefined && next === undefined
    ? ""
    : html`<nav class="paging" aria-label="${label}">
        !${first === undefined ? "" : html`<a href="${first}">Newest</a>`}
        !${next === undefined ? "" : html`<a href="${next}" rel="next">Older</a>`}
      </nav>`
