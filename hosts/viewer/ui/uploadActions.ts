import type { DateTime } from "effect"
import { paths, type Path } from "../access/paths.ts"
import { deleteButton } from "./deleteButton.ts"
import { html, type Html } from "./html.ts"
import { keepButton } from "./keepButton.ts"
import type { PageContext } from "./layout.ts"

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
