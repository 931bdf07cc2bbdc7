import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { KeyId } from "../../../core/model/ApiKey.ts"
import { type AuditActor, type AuditedAction, type AuditEntry, AuditEntryId } from "../../../core/model/AuditEntry.ts"
import { actorText } from "../../../core/rules/audit.ts"
import {
  AuditEntries,
  type AuditFilter,
  type AuditKind,
  auditKinds,
  type AuditPage
} from "../../../core/service/AuditEntries.ts"
import type { Visitor } from "../access/capability.ts"
import { forAccount, idIn } from "../session/account.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { html, type Html, shortText, timeHtml } from "../ui/html.ts"
import { paging } from "../ui/lists.ts"
import { formatIn, tableFile, tableLinks } from "../ui/tableFile.ts"

/** What the URL asks for. A filter that is none of the form's is ignored. */
const askedIn = Effect.fnUntraced(function* (url: string) {
  const query = new URL(url, "http://viewer").searchParams
  const before = query.get("before")
  const key = query.get("key")
  const filter: AuditFilter = {
    kind: auditKinds.find((kind) => kind === query.get("kind")),
    key: key === null || key === "" ? undefined : KeyId.make(yield* idIn(key))
  }
  return { filter, before: before === null ? undefined : AuditEntryId.make(yield* idIn(before)) }
})

const columns = {
  at: ({ at }: AuditEntry) => DateTime.formatIso(at),
  action: ({ action }: AuditEntry) => action,
  subject: ({ subject }: AuditEntry) => subject,
  detail: ({ detail }: AuditEntry) => detail,
  actor: ({ actor }: AuditEntry) => actorText(actor),
  address: ({ address }: AuditEntry) => address,
  id: ({ id }: AuditEntry) => id
}

/** The latest entries that the filter selects. */
const entriesOf = Effect.fnUntraced(function* (caller: Visitor, filter: AuditFilter) {
  const trail = yield* AuditEntries
  const all: Array<AuditEntry> = []
  let before: AuditEntryId | undefined
  do {
    const page = yield* trail.list(caller, before, filter)
    all.push(...page.entries)
    before = page.next
  } while (before !== undefined && all.length < entriesInFile)
  return all.slice(0, entriesInFile)
})

const show = forAccount(
  [],
  Effect.fnUntraced(function* (caller, context) {
    const trail = yield* AuditEntries
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const { before, filter } = yield* askedIn(url)
    const format = formatIn(url)
    if (format !== undefined) return tableFile(format, "audit-log", columns, yield* entriesOf(caller, filter))
    return auditPage(context, { ...(yield* trail.list(caller, before, filter)), before, filter })
  })
)

/** The page of an account's audit log. */
export const routes = [HttpRouter.route("GET", "/audit", show)]

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
  "quarantine.added": "Test quarantined",
  "quarantine.removed": "Quarantine ended",
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

/** A text with the names of keys in place of their ids. */
const withNames = (text: string, keyNames: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\bkey:([\w-]+)/g, (id, key: string) => {
    const name = keyNames.get(key)
    return name === undefined ? id : `the key ${name}`
  })

const item = (
  { action, actor, address, at, detail, subject }: AuditEntry,
  keyNames: ReadonlyMap<string, string>
): Html => {
  const about = detail ?? (action === "session.began" || action === "session.ended" ? "" : subject)
  return html`<li>
    <span>
      <span class="name">${actions[action]}</span>
      <span class="type" title="${subject}"><bdi>${withNames(about, keyNames)}</bdi></span>
      <span class="type">
        ${timeHtml(at)}, by
        ${actorHtml(actor, keyNames)}${address === undefined ? "" : html`, from <bdi>${address}</bdi>`}
      </span>
    </span>
  </li>`
}

/** How many entries a file has at most, the latest. */
const entriesInFile = 10_000

const kindNames: Readonly<Record<AuditKind, string>> = {
  account: "Account",
  build: "Builds",
  erasure: "Erasure",
  keep: "Keep and release",
  key: "API keys",
  preview: "Previews",
  quota: "Quotas",
  repository: "Repositories",
  retention: "Retention",
  run: "Test runs",
  session: "Sign-ins",
  share: "Share links",
  trust: "Trust in CI",
  webhook: "Webhooks"
}

/** How many keys the filter offers, the newest. */
const keysOffered = 200

const filterForm = (base: string, { key, kind }: AuditFilter, keyNames: ReadonlyMap<string, string>): Html => {
  const option = (value: string, label: string, chosen: string | undefined) =>
    html`<option value="${value}" ${value === chosen ? "selected" : ""}>${label}</option>`
  return html`<form class="filters" method="get" action="${base}/audit" aria-label="Filters">
    <label
      >What
      <select name="kind">
        <option value="">Everything</option>
        ${auditKinds.map((one) => option(one, kindNames[one], kind))}
      </select></label
    >
    <label
      >By
      <select name="key">
        <option value="">Anyone</option>
        ${[...keyNames]
          .toReversed()
          .slice(0, keysOffered)
          .map(([id, name]) => option(id, `The key ${shortText(name, 60)}`, key))}
      </select></label
    >
    <div class="actions">
      <button>Filter</button>
      ${key === undefined && kind === undefined ? "" : html`<a href="${base}/audit">Show all</a>`}
    </div>
  </form>`
}

/** The audit log of an account. `before` is the entry after which this page begins. */
const auditPage = (
  context: PageContext,
  {
    before,
    entries,
    filter,
    keyNames,
    next
  }: AuditPage & { readonly before: AuditEntryId | undefined; readonly filter: AuditFilter }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const query = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const pathOf = (...more: ReadonlyArray<[string, string]>): string => {
    const all = String(new URLSearchParams([...query, ...more]))
    return `${base}/audit${all === "" ? "" : `?${all}`}`
  }
  return page(context, {
    title: "Audit log",
    main: html`${accountTitle(context, {
        heading: "Audit log",
        path: "/audit",
        at: "Keys, links, sign-ins, shares and what else was changed in this account, the latest first."
      })}
      <div class="stack">
        ${filterForm(base, filter, keyNames)}
        <section class="card" aria-labelledby="entries">
          <h2 id="entries">
            Who did what <span class="count">${entries.length}${next === undefined ? "" : "+"}</span>
          </h2>
          ${
            entries.length === 0
              ? html`<p>
                  ${next === undefined ? "There are no entries." : "None of the latest 5,000 entries matches; older ones may."}
                </p>`
              : html`<ul class="list">
                  ${entries.map((entry) => item(entry, keyNames))}
                </ul>`
          }
          ${paging(
            "Pages of the audit log",
            before === undefined ? undefined : pathOf(),
            next === undefined ? undefined : pathOf(["before", next])
          )}
          ${tableLinks((format) => pathOf(["format", format]))}
          <p class="type">
            A file has the latest ${entriesInFile.toLocaleString("en-GB")} entries of the filter at most.
          </p>
        </section>
      </div>`
  })
}
