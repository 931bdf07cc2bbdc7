import { Context, Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { AuditEntryId, type AuditActor, type AuditEntry } from "../model/AuditEntry.ts"
import type { Caller } from "../model/Principal.ts"
import type { SessionId } from "../model/Session.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/** Who makes changes, and from where. A host says it of each request; unless it does, it is the command line. */
export const CurrentActor = Context.Reference<Pick<AuditEntry, "actor" | "address">>("slipway/core/service/Acting", {
  defaultValue: () => ({ actor: { administrator: "command line" } })
})

/** Who a caller is in the audit log: its session, its key, or whom the embedder vouched for. */
export const actorOf = ({
  account,
  keyId,
  sessionId
}: Pick<Caller, "account" | "keyId"> & { readonly sessionId?: SessionId }): AuditActor => {
  if (keyId === undefined) return { embedder: account.name }
  return sessionId === undefined ? { key: keyId } : { session: sessionId, key: keyId }
}

/** What an entry tells, without who did it. */
type Done = Pick<AuditEntry, "action" | "at" | "subject"> & {
  readonly accountId?: AuditEntry["accountId"] | undefined
  readonly detail?: string | undefined
}

/** Makes entries of the audit log, by whoever acts. A commit that takes an entry stores it beside what it changes. */
export const makeAuditEntries = Effect.map(SecureRandom, (random) =>
  Effect.fnUntraced(function* (done: Done): Effect.fn.Return<AuditEntry> {
    return { id: AuditEntryId.make(yield* random.uuidV7()), ...withoutUndefined(done), ...(yield* CurrentActor) }
  })
)

/** Makes changes together with their entries in the audit log. */
export const makeAuditing = Effect.gen(function* () {
  const log = yield* AuditLog
  const entryOf = yield* makeAuditEntries
  /**
   * Makes a change of the stores. `hasChanged` tells by its answer whether it did anything; if not, there is no entry. `ownerIn` tells
   * by it whose the thing is, where that isn't known before.
   */
  return Effect.fnUntraced(function* <A, E, R>(
    done: Done,
    change: Effect.Effect<A, E, R>,
    hasChanged: (answer: A) => boolean = () => true,
    ownerIn: (answer: A) => AuditEntry["accountId"] | undefined = () => undefined
  ) {
    const entry = yield* entryOf(done)
    return yield* log.record(change, (answer) =>
      hasChanged(answer)
        ? { ...entry, ...withoutUndefined({ accountId: ownerIn(answer) ?? entry.accountId }) }
        : undefined
    )
  })
})
