import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry, AuditEntryId } from "../model/AuditEntry.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/**
 * Who did what. Entries are added and never changed; they go only when they are old enough. All times are given.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /**
     * Makes a change by other ports of the same engine, and stores the entry that `entryOf` makes of its answer, in one commit: both or
     * neither, also when the engine fails in the middle. When `entryOf` makes none, nothing was changed, and nothing is stored.
     * When the change fails, nothing of it is stored. `change` reads and writes that engine and nothing else: it may be made again
     * where the engine finds that it can't be committed.
     */
    readonly record: <A, E, R>(
      change: Effect.Effect<A, E, R>,
      entryOf: (answer: A) => AuditEntry | undefined
    ) => Effect.Effect<A, E | WriteFailure, R>
    /**
     * Entries, newest first (by id): those of one account where it is given and else all, older than `before` where it is given, at
     * most `limit`.
     */
    readonly list: (query: {
      readonly account?: AccountId | undefined
      readonly before?: AuditEntryId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<AuditEntry>, Unavailable>
    /** Removes the oldest entries of before `before`, at most `limit`, and answers how many. */
    readonly expire: (bounds: {
      readonly before: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<number, WriteFailure>
  }
>()("slipway/core/ports/AuditLog") {}
