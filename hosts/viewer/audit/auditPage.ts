import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { AuditEntry, AuditEntryId } from "../../../core/model/AuditEntry.ts"
import { actorText } from "../../../core/rules/audit.ts"
import type { AuditPage } from "../../../core/service/AuditTrail.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { paging } from "../ui/paging.ts"
import { timeHtml } from "../ui/text.ts"

const item = ({ action, actor, address, at, detail, subject }: AuditEntry): Html =>
  html`<li>
    <span>
      <span class="name"><bdi>${action}</bdi></span>
      <span class="type"><bdi>${detail ?? subject}</bdi></span>
      <span class="type">
        ${timeHtml(at)}, by
        <bdi>${actorText(actor)}</bdi>${address === undefined ? "" : html`, from <bdi>${address}</bdi>`}
      </span>
    </span>
  </li>`

/** The audit log of an account. `before` is the entry after which this page begins. */
export const auditPage = (
  context: PageContext,
  { before, entries, next }: AuditPage & { readonly before: AuditEntryId | undefined }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: "Audit log",
    main: html`<div class="title">
        <h1>Audit log</h1>
        <p class="at">Keys, links, sign-ins, shares and what else was changed in this account, the latest first.</p>
      </div>
      <section class="card" aria-labelledby="entries">
        <h2 id="entries">Who did what <span class="count">${entries.length}</span></h2>
        ${
          entries.length === 0
            ? html`<p>There are no entries yet.</p>`
            : html`<ul class="list">
                ${entries.map(item)}
              </ul>`
        }
        ${paging(
          "Pages of the audit log",
          before === undefined ? undefined : `${base}/audit`,
          next === undefined ? undefined : `${base}/audit?before=${next}`
        )}
      </section>`
  })
}
