import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { AuditActor, AuditEntry, AuditEntryId, AuditedAction } from "../../../core/model/AuditEntry.ts"
import { actorText } from "../../../core/rules/audit.ts"
import type { AuditPage } from "../../../core/service/AuditTrail.ts"
import { accountTitle } from "../ui/accountTitle.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { paging } from "../ui/paging.ts"
import { timeHtml } from "../ui/text.ts"

/** What was done, in words. */
const actions: Record<AuditedAction, string> = {
  "account.created": "Account created",
  "account.erased": "Account erased",
  "build.deleted": "Build deleted",
  "build.finalized": "Build uploaded",
  "build.replaced": "Build replaced",
  "erasure.finished": "Erasure finished",
  "keep.began": "Kept",
  "keep.ended": "No longer kept",
  "key.created": "Key created",
  "key.exchanged": "Key exchanged for a CI token",
  "key.refused": "Key refused",
  "key.revoked": "Key revoked",
  "key.rotated": "Key rotated",
  "preview.deleted": "Preview deleted",
  "preview.finalized": "Preview uploaded",
  "quotas.changed": "Quotas changed",
  "repository.changed": "Repository changed",
  "repository.linked": "Repository linked",
  "repository.unlinked": "Repository unlinked",
  "retention.changed": "Retention changed",
  "run.deleted": "Run deleted",
  "run.registered": "Run registered",
  "session.began": "Signed in",
  "session.ended": "Signed out",
  "sessions.ended": "Signed out everywhere",
  "share.created": "Share link created",
  "share.revoked": "Share link revoked",
  "trust.created": "Trust in a CI created",
  "trust.ended": "Trust in a CI ended",
  "trust.pinned": "Trust in a CI pinned",
  "trust.refused": "Token of a CI refused",
  "webhook.created": "Webhook created",
  "webhook.removed": "Webhook removed",
  "webhook.resumed": "Webhook resumed"
}

/** Who did it: a key by its name, where the account still has it. The id is in the tooltip. */
const actorHtml = (actor: AuditActor, keyNames: ReadonlyMap<string, string>): Html => {
  const name = "key" in actor ? keyNames.get(actor.key) : undefined
  if (!("key" in actor) || name === undefined) return html`<bdi>${actorText(actor)}</bdi>`
  return html`<span title="${actorText(actor)}"
    >${"session" in actor ? "somebody signed in with the key" : "the key"} <bdi>${name}</bdi></span
  >`
}

const item = (
  { action, actor, address, at, detail, subject }: AuditEntry,
  keyNames: ReadonlyMap<string, string>
): Html =>
  html`<li>
    <span>
      <span class="name">${actions[action]}</span>
      <span class="type"
        ><bdi>${detail ?? (action === "session.began" || action === "session.ended" ? "" : subject)}</bdi></span
      >
      <span class="type">
        ${timeHtml(at)}, by
        ${actorHtml(actor, keyNames)}${address === undefined ? "" : html`, from <bdi>${address}</bdi>`}
      </span>
    </span>
  </li>`

/** The audit log of an account. `before` is the entry after which this page begins. */
export const auditPage = (
  context: PageContext,
  { before, entries, keyNames, next }: AuditPage & { readonly before: AuditEntryId | undefined }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: "Audit log",
    main: html`${accountTitle(context, {
        heading: "Audit log",
        path: "/audit",
        at: "Keys, links, sign-ins, shares and what else was changed in this account, the latest first."
      })}
      <section class="card" aria-labelledby="entries">
        <h2 id="entries">Who did what <span class="count">${entries.length}</span></h2>
        ${
          entries.length === 0
            ? html`<p>There are no entries yet.</p>`
            : html`<ul class="list">
                ${entries.map((entry) => item(entry, keyNames))}
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
