import type { HttpServerResponse } from "effect/http"
import { html } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"

/** The sign-in form. `to` is the path to open afterwards, `problem` why the last attempt failed. */
export const signInPage = (
  context: PageContext,
  options: {
    readonly to: string
    readonly status: number
    readonly problem?: string | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
  }
): HttpServerResponse.HttpServerResponse => {
  const { otherSignIn: other, site } = context
  const failed = options.problem !== undefined
  return page(context, {
    title: "Sign in",
    status: options.status,
    headers: options.headers,
    script: "signIn",
    main: html`<form class="card narrow" method="post" action="${site.base}/sign-in">
      <h1>Sign in</h1>
      ${
        other === undefined
          ? ""
          : html`<p>
              <a class="button" href="${site.base}${other.path}?${String(new URLSearchParams({ to: options.to }))}"
                >Sign in with ${other.name}</a
              >
            </p>`
      }
      <p>${other === undefined ? "Use" : "Or use"} an API key of your account to see what the account has uploaded.</p>
      ${failed ? html`<p class="problem" id="problem" role="alert">${options.problem}</p>` : ""}
      <input type="hidden" name="to" value="${options.to}" />
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autofocus
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        placeholder="slip_…"
        ${failed ? html` aria-invalid="true" aria-describedby="problem"` : ""}
      />
      <button>Sign in</button>
      ${context.hasPrograms === true ? html`<p><a href="${site.base}/cli">Command-line programs</a></p>` : ""}
    </form>`
  })
}
