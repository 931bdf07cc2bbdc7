import { html, type Html } from "./html.ts"

/** A card with a heading; `id` names the heading. */
export const card = (id: string, title: string, body: Html): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${body}
  </section>`
