import { Context, Effect, Layer } from "effect"
import type { KeyId, Reader } from "../model/ApiKey.ts"
import type { AuditEntry, AuditEntryId } from "../model/AuditEntry.ts"
import type { InvalidRequest, Unavailable } from "../model/Problem.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { inSpan } from "./telemetry.ts"

/** Entries of an account's audit log, newest first. `next` continues after the page; without it, this is the last page. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  /** The names of the account's keys by their ids. */
  readonly keyNames: ReadonlyMap<string, string>
  readonly next?: AuditEntryId
}

/** What an action begins with, in the singular. */
export const auditKinds = [
  "account",
  "build",
  "erasure",
  "keep",
  "key",
  "preview",
  "quota",
  "repository",
  "retention",
  "run",
  "session",
  "share",
  "trust",
  "webhook"
] as const
/** One of {@link auditKinds}. */
export type AuditKind = (typeof auditKinds)[number]

/** Which entries are listed: of a kind, which is what an action begins with (`key` or `run`), and by those who use a key. */
export interface AuditFilter {
  readonly kind?: AuditKind | undefined
  readonly key?: KeyId | undefined
}

/** How many entries a page lists, how many are read at once, and how many at most for a page, which may then have fewer. */
const [entriesOnPage, readBatchSize, maxRead] = [100, 1000, 5000] as const

const selects = ({ key, kind }: AuditFilter) => {
  const actions = kind === undefined ? /^/ : new RegExp(`^${kind}s?[.]`)
  return ({ action, actor }: AuditEntry): boolean =>
    actions.test(action) && (key === undefined || ("key" in actor && actor.key === key))
}

/** The audit log of an account. */
export class AuditEntries extends Context.Service<
  AuditEntries,
  {
    /**
     * Up to 100 entries of the account that the filter selects, older than `before` if given. A page has fewer, and a `next`, if few of
     * the 5,000 entries that it looks through are selected.
     */
    readonly list: (
      reader: Reader,
      before?: AuditEntryId,
      filter?: AuditFilter
    ) => Effect.Effect<AuditPage, InvalidRequest | Unavailable>
  }
>()("slipway/core/service/AuditEntries") {
  static readonly layer = Layer.effect(
    AuditEntries,
    Effect.gen(function* () {
      const log = yield* AuditLog
      const keyStore = yield* KeyStore
      return AuditEntries.of({
        list: Effect.fnUntraced(function* ({ account }, before, filter = {}) {
          const isFiltered = filter.key !== undefined || filter.kind !== undefined
          const limit = isFiltered ? readBatchSize : entriesOnPage + 1
          const keys = yield* keyStore.list(account.id)
          const keyNames = new Map(keys.map(({ id, name }) => [id, name]))
          const selected: Array<AuditEntry> = []
          const isSelected = selects(filter)
          let [read, last, isEnd] = [0, before, false]
          while (!isEnd && selected.length <= entriesOnPage && read < maxRead) {
            const some = yield* log.list({ account: account.id, before: last, limit })
            selected.push(...some.filter(isSelected))
            read += some.length
            last = some.at(-1)?.id ?? last
            isEnd = some.length < limit
          }
          const entries = selected.slice(0, entriesOnPage)
          const next = selected.length > entriesOnPage ? entries.at(-1)?.id : isEnd ? undefined : last
          return next === undefined ? { entries, keyNames } : { entries, keyNames, next }
        }, inSpan("AuditEntries.list"))
      })
    })
  )
}
