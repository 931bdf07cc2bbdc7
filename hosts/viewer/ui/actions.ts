/** The buttons that keep, share and delete builds, previews and runs. */
import type { DateTime } from "effect"
import { type Path, paths } from "../access/site.ts"
import type { Fact } from "./facts.ts"
import { html, type Html } from "./html.ts"
import type { PageContext } from "./layout.ts"
import { timeHtml } from "./text.ts"

/** What can be done with a build or a preview of an own account. `isOpened` is whether its app can be opened. */
export const uploadActions = (
  context: PageContext,
  {
    isOpened,
    keptAt,
    path
  }: { readonly isOpened: boolean; readonly keptAt: DateTime.Utc | undefined; readonly path: Path }
): Html | undefined => {
  const { mayDelete, shared, site } = context
  if (shared === true || (!isOpened && mayDelete !== true)) return undefined
  return html`${
    isOpened
      ? html`<a class="button" href="${site.base + paths.shares(path)}">Share</a>
          <a class="button quiet" href="${site.base + paths.replay(path)}">Full window</a>
          <a class="button quiet" href="${site.base + paths.compareApps(path)}">Compare with…</a>
          ${keepButton(context, keptAt)}`
      : ""
  }
  ${deleteButton(context, path)}`
}

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

/** A link to the confirmation of deletion; nothing if the caller may not delete. */
export const deleteButton = ({ mayDelete, site }: PageContext, path: Path): Html | undefined =>
  mayDelete === true ? html`<a class="button quiet" href="${site.base + paths.deletion(path)}">Delete…</a>` : undefined
