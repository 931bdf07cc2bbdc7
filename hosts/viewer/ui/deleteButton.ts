import { html } from "ghtml"
import { paths, type Path } from "../access/paths.ts"
import type { PageContext } from "./layout.ts"

/** Leads to the page that asks whether this page's thing is to be deleted; nothing for whoever may not delete. */
export const deleteButton = ({ mayDelete, site }: PageContext, path: Path): string =>
  mayDelete === true ? html`<a class="button quiet" href="${site.base + paths.deletion(path)}">Delete…</a>` : ""
