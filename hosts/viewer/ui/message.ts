import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { RateLimited } from "../../../core/model/Problem.ts"
import { html } from "./html.ts"
import { page, type PageContext } from "./layout.ts"

/** A page with one message, and a link where there is one; `to` is a path of the viewer. */
export const messagePage = (
  context: PageContext,
  options: {
    readonly title: string
    readonly text: string
    readonly status: number
    readonly headers?: Readonly<Record<string, string>> | undefined
    readonly link?: { readonly to: string; readonly label: string } | undefined
  }
): HttpServerResponse.HttpServerResponse =>
  page(context, {
    title: options.title,
    status: options.status,
    headers: options.headers,
    main: html`<section class="card narrow">
      <h1>${options.title}</h1>
      <p>${options.text}</p>
      ${
        options.link === undefined
          ? ""
          : html`<p><a class="button" href="${context.site.base + options.link.to}">${options.link.label}</a></p>`
      }
    </section>`
  })

export const notFoundPage = (context: PageContext) =>
  messagePage(context, {
    status: 404,
    title: "Nothing here",
    text:
      context.account === undefined
        ? "No page has this address. Check that you copied the whole link."
        : "No page has this address, or the page belongs to another account.",
    link: context.account && { to: "/", label: "See what is there" }
  })

export const linkEndedPage = (context: PageContext) =>
  messagePage(context, {
    status: 410,
    title: "This link has ended",
    text: "Share links expire and can be revoked. Ask the person who sent you this one for another."
  })

/** `to` is the path that was asked for, to go to with another key. */
export const missingScopePage = (context: PageContext, scopes: ReadonlyArray<string>, to: string) => {
  const lacking = `the scope${scopes.length === 1 ? "" : "s"} ${scopes.join(" and ")}`
  return messagePage(
    context,
    context.hasSessions === true
      ? {
          status: 403,
          title: "This key may not look here",
          text: `To see this, sign in with a key that has ${lacking}.`,
          link: { to: `/sign-in?${new URLSearchParams({ to })}`, label: "Sign in with another key" }
        }
      : {
          status: 403,
          title: "You may not look here",
          text: `To see this, you need ${lacking}. Ask the person who gave you access.`
        }
  )
}

export const unavailablePage = (context: PageContext) =>
  messagePage(context, {
    status: 503,
    title: "Temporarily unavailable",
    text: "A part of the service can't be reached. Nothing is lost. Try again in a moment.",
    headers: { "retry-after": "5" }
  })

export const rateLimitedPage = (context: PageContext, { detail, retryAfterSeconds }: RateLimited) =>
  messagePage(context, {
    status: 429,
    title: "Too many attempts",
    text: detail,
    headers: { "retry-after": `${retryAfterSeconds}` }
  })

const fullPage = (context: PageContext) =>
  messagePage(context, {
    status: 507,
    title: "The disk is full",
    text: "The disk of the service is full, so nothing was changed. Its operator has to free space first."
  })

/** The pages that answer an action whose store can't be used or is full. */
export const writeFailurePages = (context: PageContext) => ({
  Unavailable: () => Effect.succeed(unavailablePage(context)),
  InsufficientStorage: () => Effect.succeed(fullPage(context))
})

export const foreignPage = (context: PageContext) =>
  messagePage(context, {
    status: 403,
    title: "Not from this page",
    text: "The form was sent from another site, so nothing was changed.",
    link: { to: "/", label: "To the start" }
  })
