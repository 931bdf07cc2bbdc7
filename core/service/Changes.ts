import { Context, Effect, Layer, RcMap, Schedule, Stream, SubscriptionRef } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditedAction } from "../model/AuditEntry.ts"
import type { Reader } from "../model/Principal.ts"
import type { Unavailable } from "../model/Problem.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/** What pages show changes with these entries of the audit log; not with a sign-in, for instance. */
const kinds: ReadonlySet<string> = new Set(["build", "keep", "preview", "repository", "run"])
const isShown = (action: AuditedAction): boolean => kinds.has(action.slice(0, action.indexOf(".")))

/** How often the log of an account is read while somebody watches it, and how many entries. */
const [pause, entriesRead] = ["2 seconds", 20] as const

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
    /** The latest change, and then each later one within about two seconds. Changes in quick succession are one. */
    readonly watch: (reader: Reader) => Stream.Stream<Change, Unavailable>
  }
>()("slipway/core/service/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const log = yield* AuditLog
      const watched = yield* RcMap.make({
        lookup: Effect.fnUntraced(function* (account: AccountId) {
          const read = Effect.map(log.list({ account, limit: entriesRead }), (entries) =>
            entries.find(({ action }) => isShown(action))
          )
          const latest = yield* SubscriptionRef.make<string>((yield* read)?.id ?? "")
          yield* read.pipe(
            Effect.flatMap((entry) => (entry === undefined ? Effect.void : SubscriptionRef.set(latest, entry.id))),
            // The next reading may work again.
            Effect.ignore,
            Effect.repeat(Schedule.spaced(pause)),
            Effect.forkScoped
          )
          return { latest, watchers: 0 }
        })
      })
      return Changes.of({
        watch: ({ account }) =>
          Stream.unwrap(
            Effect.gen(function* () {
              const one = yield* RcMap.get(watched, account.id)
              yield* Effect.acquireRelease(
                Effect.sync(() => void (one.watchers += 1)),
                () => Effect.sync(() => void (one.watchers -= 1))
              )
              return SubscriptionRef.changes(one.latest).pipe(
                Stream.changes,
                Stream.map((id) => ({ id, watchers: one.watchers }))
              )
            })
          )
      })
    })
  )
}
