import type { DateTime } from "effect"
import { html, type Html } from "./html.ts"
import { paths, type Path } from "../access/paths.ts"
import { timeHtml } from "./text.ts"
import type { Fact } from "./facts.ts"
import type { PageContext } from "./layout.ts"

/** Whether the caller may keep or release the page's resource. A released one may expire, so releasing needs the right to delete. */
const isOffered = ({ mayDelete }: PageContext, keptAt: DateTime.Utc | undefined): boolean =>
  keptAt === undefined || mayDelete === true

/** The button that protects the page's resource from expiry, or releases it. It submits {@link keepForm}. */
export const keepButton = (context: PageContext, keptAt: DateTime.Utc | undefined): Html | undefined =>
  isOffered(context, keptAt)
    ? html`<button class="button quiet" form="keep">${keptAt === undefined ? "Keep" : "Release"}</button>`
    : undefined

/** The form of {@link keepButton}. */
export const keepForm = (context: PageContext, path: Path, keptAt: DateTime.Utc | undefined): Html | undefined =>
  isOffered(context, keptAt)
    ? html`<form
        id="keep"
        method="post"
        action="${context.site.base + (keptAt === undefined ? paths.keep(path) : paths.release(path))}"
        hidden
      ></form>`
    : undefined

/** Since when a resource is kept, if it is. */
export const keptFact = (keptAt: DateTime.Utc | undefined): ReadonlyArray<Fact> =>
  keptAt === undefined ? [] : [["Kept", html`since ${timeHtml(keptAt)}, however old it gets`]]
