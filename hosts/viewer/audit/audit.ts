import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { AuditEntryId } from "../../../core/model/AuditEntry.ts"
import { AuditTrail } from "../../../core/service/AuditTrail.ts"
import { forAccount, idIn } from "../session/account.ts"
import { auditPage } from "./auditPage.ts"

const show = forAccount(
  [],
  Effect.fnUntraced(function* (caller, context) {
    const trail = yield* AuditTrail
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = new URL(url, "http://viewer").searchParams.get("before")
    const before = asked === null ? undefined : AuditEntryId.make(yield* idIn(asked))
    return auditPage(context, { ...(yield* trail.list(caller, before)), before })
  })
)

/** The page of an account's audit log. */
export const routes = [HttpRouter.route("GET", "/audit", show)]
