import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import { page } from "./layout.ts"
import type { PageContext } from "./layout.ts"

/** Where one lands who is signed in and asked for nothing. */
export const homePage = (
  context: PageContext & { readonly account: { readonly name: string } }
): HttpServerResponse.HttpServerResponse =>
  page(context, {
    title: "Signed in",
    main: html`<section class="card narrow">
      <h1>Signed in</h1>
      <p>
        You see what <strong><bdi>${context.account.name}</bdi></strong> has uploaded.
      </p>
      <p>Open a build by its <code>url</code>: the upload in your CI prints it.</p>
    </section>`
  })
