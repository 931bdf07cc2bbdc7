import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { InsufficientScope, NotFound, RateLimited } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { reportedText } from "../../http/problems.ts"
import { html } from "./html.ts"
import { page, type PageContext } from "./layout.ts"

/** One message, and a link where there is one; `to` is a path of the viewer. */
interface Message {
  readonly title: string
  readonly text: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly link?: { readonly to: string; readonly label: string } | undefined
}

/** A page with one message. */
export const messagePage = (
  context: PageContext,
  { headers, link, status, text, title }: Message
): HttpServerResponse.HttpServerResponse =>
  page(context, {
    title,
    status,
    headers,
    main: html`<section class="card narrow">
      <h1>${title}</h1>
      <p>${text}</p>
      ${link === undefined ? "" : html`<p><a class="button" href="${context.site.base + link.to}">${link.label}</a></p>`}
    </section>`
  })

type ShownProblem = NotFound | RateLimited | InsufficientScope | WriteFailure

const messageOf = (context: PageContext, problem: ShownProblem, to: string): Omit<Message, "status"> => {
  switch (problem._tag) {
    case "NotFound":
      return {
        title: "Nothing here",
        text:
          context.account === undefined
            ? "No page has this address. Check that you copied the whole link."
            : "No page has this address, or the page belongs to another account.",
        link: context.account && { to: "/", label: "See what is there" }
      }
    case "InsufficientScope": {
      const scopes = problem.requiredScopes
      const lacking = `the scope${scopes.length === 1 ? "" : "s"} ${scopes.join(" and ")}`
      return context.hasSessions === true
        ? {
            title: "This key may not look here",
            text: `To see this, sign in with a key that has ${lacking}.`,
            link: { to: `/sign-in?${new URLSearchParams({ to })}`, label: "Sign in with another key" }
          }
        : {
            title: "You may not look here",
            text: `To see this, you need ${lacking}. Ask the person who gave you access.`
          }
    }
    case "RateLimited":
      return {
        title: "Too many attempts",
        text: problem.detail,
        headers: { "retry-after": `${problem.retryAfterSeconds}` }
      }
    case "Unavailable":
      return {
        title: "Temporarily unavailable",
        text: "A part of the service can't be reached. Nothing is lost. Try again in a moment.",
        headers: { "retry-after": "5" }
      }
    case "InsufficientStorage":
      return {
        title: "The disk is full",
        text: "The disk of the service is full, so nothing was changed. Its operator has to free space first."
      }
  }
}

/** A problem as a page, with the text of `onProblem`. `to` is the path that was requested, to open it with another key. */
export const problemPage = Effect.fnUntraced(function* (context: PageContext, problem: ShownProblem, to = "/") {
  const message = messageOf(context, problem, to)
  const text = yield* reportedText(problem, message.text)
  return messagePage(context, { ...message, text, status: problem.status })
})

export const linkEndedPage = (context: PageContext) =>
  messagePage(context, {
    status: 410,
    title: "This link has ended",
    text: "Share links expire and can be revoked. Ask the person who sent you this one for another."
  })

export const foreignPage = (context: PageContext) =>
  messagePage(context, {
    status: 403,
    title: "Not from this page",
    text: "The form was sent from another site, so nothing was changed.",
    link: { to: "/", label: "To the start" }
  })
