import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import { page } from "./layout.ts"
import type { Frame } from "./layout.ts"

/** Where one lands who is signed in and asked for nothing. */
export const homePage = (
  frame: Frame & { readonly account: { readonly name: string } }
): HttpServerResponse.HttpServerResponse =>
  page(frame, {
    title: "Signed in",
    main: html`<section class="card narrow">
      <h1>Signed in</h1>
      <p>
        You see what <strong><bdi>${frame.account.name}</bdi></strong> has uploaded.
      </p>
      <p>Open a build by its <code>url</code>: the upload in your CI prints it.</p>
    </section>`
  })
