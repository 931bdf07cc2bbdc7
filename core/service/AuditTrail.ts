import { Context, Effect, Layer } from "effect"
import type { AuditEntry, AuditEntryId } from "../model/AuditEntry.ts"
import type { Reader } from "../model/Principal.ts"
import type { Unavailable } from "../model/Problem.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { pageOf } from "../rules/pages.ts"

/** Entries of an account's audit log, newest first. `next` continues after the page; without it, this is the last page. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  readonly next?: AuditEntryId
}

const entriesOnPage = 100

/** The audit log of an account. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Up to 100 entries of the account, older than `before` if given. */
    readonly list: (reader: Reader, before?: AuditEntryId) => Effect.Effect<AuditPage, Unavailable>
  }
>()("slipway/core/service/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const log = yield* AuditLog
      return AuditTrail.of({
        list: Effect.fn("AuditTrail.list")(function* ({ account }, before) {
          const found = yield* log.list({ account: account.id, before, limit: entriesOnPage + 1 })
          const { last, page: entries } = pageOf(found, entriesOnPage)
          return last === undefined ? { entries } : { entries, next: last.id }
        })
      })
    })
  )
}
