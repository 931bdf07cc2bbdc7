import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import { paths, type Path } from "../access/paths.ts"
import { page, type PageContext, type Step } from "../ui/layout.ts"

/** What the page shows about a resource before it is deleted. */
export interface DeletionPrompt {
  /** What it is: `build`. */
  readonly kind: string
  /** Its name. */
  readonly name: Html
  /** What is deleted with it and what is kept. */
  readonly consequences: string
  readonly page: Path
  readonly trail: ReadonlyArray<Step>
}

/** Asks for confirmation. Nothing is deleted before its form is sent. */
export const deletionPage = (
  context: PageContext,
  { consequences, kind, name, page: path, trail }: DeletionPrompt
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: `Delete this ${kind}?`,
    trail,
    main: html`<section class="card narrow">
      <h1>Delete this ${kind}?</h1>
      <p><strong>${name}</strong></p>
      <p>${consequences}</p>
      <form method="post" action="${base + paths.deletion(path)}">
        <button class="grave">Delete this ${kind} for good</button>
      </form>
      <p><a href="${base + path}">Keep it</a></p>
    </section>`
  })
}
