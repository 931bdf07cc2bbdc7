import { Context, Effect, Layer } from "effect"
import type { AuditEntry, AuditEntryId } from "../model/AuditEntry.ts"
import type { Reader } from "../model/Principal.ts"
import type { Unavailable } from "../model/Problem.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { pageOf } from "../rules/pages.ts"

/** Entries of an account's audit log, newest first. `next` continues after the page; without it, this is the last page. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  /** The names of the account's keys by their ids. */
  readonly keyNames: ReadonlyMap<string, string>
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
      const keyStore = yield* KeyStore
      return AuditTrail.of({
        list: Effect.fn("AuditTrail.list")(function* ({ account }, before) {
          const { found, keys } = yield* Effect.all(
            {
              found: log.list({ account: account.id, before, limit: entriesOnPage + 1 }),
              keys: keyStore.list(account.id)
            },
            { concurrency: "unbounded" }
          )
          const keyNames = new Map(keys.map(({ id, name }) => [id, name]))
          const { last, page: entries } = pageOf(found, entriesOnPage)
          return last === undefined ? { entries, keyNames } : { entries, keyNames, next: last.id }
        })
      })
    })
  )
}
