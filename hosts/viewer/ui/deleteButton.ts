import { html, type Html } from "./html.ts"
import { paths, type Path } from "../access/paths.ts"
import type { PageContext } from "./layout.ts"

/** A link to the confirmation of deletion; nothing if the caller may not delete. */
export const deleteButton = ({ mayDelete, site }: PageContext, path: Path): Html | undefined =>
  mayDelete === true ? html`<a class="button quiet" href="${site.base + paths.deletion(path)}">Delete…</a>` : undefined
