import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { KeyId } from "../../../core/model/ApiKey.ts"
import { AuditEntryId, type AuditEntry } from "../../../core/model/AuditEntry.ts"
import { actorText } from "../../../core/rules/audit.ts"
import { AuditEntries, auditKinds, type AuditFilter } from "../../../core/service/AuditEntries.ts"
import type { Visitor } from "../access/capability.ts"
import { forAccount, idIn } from "../session/account.ts"
import { formatIn, tableFile } from "../ui/tableFile.ts"
import { auditPage, entriesInFile } from "./auditPage.ts"

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
