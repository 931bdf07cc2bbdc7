import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry, AuditEntryId } from "../model/AuditEntry.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/**
 * The audit log. Entries are added and never changed; old entries expire. All times are given.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /**
     * Runs `change`, which uses other ports of the same engine, and stores the entry that `entryOf` returns for its result. Both are
     * one commit, also when the engine fails in the middle. If `entryOf` returns no entry, nothing was changed and nothing is stored.
     * If `change` fails, nothing is stored. `change` must read and write that engine only, because the engine may run it again
     * after a failed commit.
     */
    readonly record: <A, E, R>(
      change: Effect.Effect<A, E, R>,
      entryOf: (answer: A) => AuditEntry | undefined
    ) => Effect.Effect<A, E | WriteFailure, R>
    /**
     * At most `limit` entries, newest first (by id): of one account if given, else of all accounts; older than `before` if given.
     */
    readonly list: (query: {
      readonly account?: AccountId | undefined
      readonly before?: AuditEntryId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<AuditEntry>, Unavailable>
    /** Deletes at most `limit` of the oldest entries from before `before`. Returns how many. */
    readonly expire: (bounds: {
      readonly before: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<number, WriteFailure>
  }
>()("slipway/core/ports/AuditLog") {}
