import { html, type Html } from "./html.ts"
import { paths, type Path } from "../access/paths.ts"
import type { PageContext } from "./layout.ts"

/** Leads to the page that asks whether this page's thing is to be deleted; nothing for whoever may not delete. */
export const deleteButton = ({ mayDelete, site }: PageContext, path: Path): Html | undefined =>
  mayDelete === true ? html`<a class="button quiet" href="${site.base + paths.deletion(path)}">Delete…</a>` : undefined
