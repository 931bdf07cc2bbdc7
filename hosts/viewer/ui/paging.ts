import { html, type Html } from "./html.ts"

/** Links to the next page of a list and to its beginning; `undefined` ones are omitted. */
export const paging = (label: string, first: string | undefined, next: string | undefined): Html | undefined =>
  first === undefined && next === undefined
    ? undefined
    : html`<nav class="paging" aria-label="${label}">
        ${first === undefined ? "" : html`<a href="${first}">Newest</a>`}
        ${next === undefined ? "" : html`<a href="${next}" rel="next">Older</a>`}
      </nav>`
