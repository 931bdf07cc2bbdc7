import { html } from "ghtml"

/** A card with a heading; `body` is HTML, and `id` names the heading. */
export const card = (id: string, title: string, body: string): string =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    !${body}
  </section>`
