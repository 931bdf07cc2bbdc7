import type { DateTime } from "effect"
import { html, type Html } from "./html.ts"
import { paths, type Path } from "../access/paths.ts"
import { timeHtml } from "./text.ts"
import type { Fact } from "./facts.ts"
import type { PageContext } from "./layout.ts"

/** Whether who looks may keep this page's thing, or release it. That may go then at the next sweep, so it is for who may delete. */
const isOffered = ({ mayDelete }: PageContext, keptAt: DateTime.Utc | undefined): boolean =>
  keptAt === undefined || mayDelete === true

/** Keeps this page's thing whatever the rules of retention say, or releases it. Its form is {@link keepForm}, beside the paragraph of the button. */
export const keepButton = (context: PageContext, keptAt: DateTime.Utc | undefined): Html | undefined =>
  isOffered(context, keptAt)
    ? html`<button class="button quiet" form="pin">${keptAt === undefined ? "Keep" : "Release"}</button>`
    : undefined

/** The form of {@link keepButton}. */
export const keepForm = (context: PageContext, path: Path, keptAt: DateTime.Utc | undefined): Html | undefined =>
  isOffered(context, keptAt)
    ? html`<form
        id="pin"
        method="post"
        action="${context.site.base + (keptAt === undefined ? paths.keep(path) : paths.release(path))}"
        hidden
      ></form>`
    : undefined

/** Since when a thing is kept, if it is. */
export const keptFact = (keptAt: DateTime.Utc | undefined): ReadonlyArray<Fact> =>
  keptAt === undefined ? [] : [["Kept", html`since ${timeHtml(keptAt)}, however old it gets`]]
