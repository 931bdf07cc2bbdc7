import { Context, DateTime, Effect, Layer, RcMap, Schedule, Stream, SubscriptionRef } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditedAction } from "../model/AuditEntry.ts"
import type { Reader } from "../model/ApiKey.ts"
import type { InvalidRequest, Unauthorized, Unavailable } from "../model/Problem.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/** What pages show changes with these entries of the audit log; not with a sign-in, for instance. */
const kinds: ReadonlySet<string> = new Set(["build", "keep", "preview", "repository", "run"])
const isShown = (action: AuditedAction): boolean => kinds.has(action.slice(0, action.indexOf(".")))

/** How often the log of an account is read while somebody watches it, and how many entries. */
const [pause, entriesRead] = ["800 millis", 20] as const

/** The latest change of an account. */
export interface Change {
  /** Differs from that of the change before; empty if there is none. */
  readonly id: string
  /** How many watch the account on this host. */
  readonly watchers: number
}

/**
 * Publishes changes of an account: uploads, runs, deletions and settings of repositories, by any host. The log of an account is read
 * once for all who watch it on a host, and not at all while nobody does.
 */
export class Changes extends Context.Service<
  Changes,
  {
    /**
     * The latest change, and then each later one within a second. Changes in quick succession are one.
     *
     * `right` answers until when the reader may watch. It is asked again after each entry of the log, such as one about a sign-out or
     * a revoked key. The stream ends within a second after that time, or if the reader may not watch any more. While the engine is
     * unavailable, it continues.
     */
    readonly watch: (
      reader: Reader,
      right: Effect.Effect<DateTime.Utc, InvalidRequest | Unauthorized | Unavailable>
    ) => Stream.Stream<Change, InvalidRequest | Unavailable>
  }
>()("slipway/core/service/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const log = yield* AuditLog
      const watched = yield* RcMap.make({
        lookup: Effect.fnUntraced(function* (account: AccountId) {
          const read = Effect.map(log.list({ account, limit: entriesRead }), (entries) => ({
            shown: entries.find(({ action }) => isShown(action))?.id,
            newest: entries[0]?.id
          }))
          const first = yield* read
          const latest = yield* SubscriptionRef.make({ shown: first.shown ?? "", newest: first.newest })
          // Also without a change, because the time of a right may have come.
          yield* SubscriptionRef.updateEffect(latest, (before) =>
            read.pipe(
              Effect.map(({ newest, shown = before.shown }) => ({ shown, newest })),
              // The next reading may work again.
              Effect.orElseSucceed(() => ({ ...before }))
            )
          ).pipe(Effect.repeat(Schedule.spaced(pause)), Effect.forkScoped)
          return { latest, watchers: 0 }
        })
      })
      return Changes.of({
        watch: ({ account }, right) =>
          Stream.unwrap(
            Effect.gen(function* () {
              const one = yield* RcMap.get(watched, account.id)
              yield* Effect.acquireRelease(
                Effect.sync(() => void (one.watchers += 1)),
                () => Effect.sync(() => void (one.watchers -= 1))
              )
              let checked: { readonly newest: string | undefined; readonly until: DateTime.Utc } | undefined
              const mayWatch = (newest: string | undefined) =>
                Effect.gen(function* () {
                  if (checked === undefined || checked.newest !== newest) checked = { newest, until: yield* right }
                  return DateTime.isLessThan(yield* DateTime.now, checked.until)
                }).pipe(
                  Effect.catchTags({
                    InvalidRequest: () => Effect.succeed(false),
                    Unauthorized: () => Effect.succeed(false),
                    Unavailable: () => Effect.succeed(true)
                  })
                )
              return SubscriptionRef.changes(one.latest).pipe(
                Stream.takeWhileEffect(({ newest }) => mayWatch(newest)),
                Stream.map(({ shown }) => shown),
                Stream.changes,
                Stream.map((id) => ({ id, watchers: one.watchers }))
              )
            })
          )
      })
    })
  )
}
