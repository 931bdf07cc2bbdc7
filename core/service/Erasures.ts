import { Context, DateTime, Effect, Layer } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ErasedAccount, ErasedCounts, Erasure } from "../model/MetadataRecord.ts"
import type { Unavailable } from "../model/Problem.ts"
import { ErasureStore } from "../ports/ErasureStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { erasedCountsText } from "../rules/sweeps.ts"
import { finalizeGrace } from "../rules/reservations.ts"
import { hashSecret } from "../rules/credentials.ts"
import { CurrentActor, makeAuditing } from "./auditing.ts"
import { ObjectDeletions } from "./ObjectDeletions.ts"
import { Settings } from "./Settings.ts"

/** How many records without objects are deleted at once, per upload. */
const recordBatchFactor = 10

/**
 * Erases accounts. The first commit hides the account on every host. Then independent steps delete its records, so that a sweep
 * can finish an interrupted erasure. @see docs/backup-and-restore.md
 */
export class Erasures extends Context.Service<
  Erasures,
  {
    /** The accounts that are being erased. */
    readonly list: Effect.Effect<ReadonlyArray<ErasedAccount>, Unavailable>
    /** The account that had this name (and this id, if given) and is being erased; of several, the last one. */
    readonly named: (name: string, id?: AccountId) => Effect.Effect<ErasedAccount | undefined, Unavailable>
    /** Hides an account, and writes an entry to the audit log. Returns `undefined` if the account no longer exists. */
    readonly begin: (account: Account) => Effect.Effect<ErasedAccount | undefined, WriteFailure>
    /** How many uploads the next step deletes, and their declared bytes. */
    readonly next: (
      account: AccountId
    ) => Effect.Effect<{ readonly count: number; readonly bytes: number }, Unavailable>
    /**
     * One step: deletes some records of an account and their objects, and returns the counts. If they are empty, only the account's
     * id is left, which is deleted an hour after the first commit.
     */
    readonly step: (account: ErasedAccount) => Effect.Effect<ErasedCounts, WriteFailure>
  }
>()("slipway/core/service/Erasures") {
  static readonly layer = Layer.effect(
    Erasures,
    Effect.gen(function* () {
      const store = yield* ErasureStore
      const sweeps = yield* SweepStore
      const removals = yield* ObjectDeletions
      const auditing = yield* makeAuditing
      const { sweep } = yield* Settings

      const uploadsOf = (account: AccountId) => store.uploads({ account, limit: sweep.batch })

      return Erasures.of({
        list: store.list,
        named: Effect.fn("Erasures.named")(function* (name, id) {
          const nameHash = hashSecret(name)
          const named = (yield* store.list).filter(({ erasure }) => erasure.nameHash === nameHash)
          return named.findLast((one) => id === undefined || one.id === id)
        }),
        begin: Effect.fn("Erasures.begin")(function* ({ id, name }) {
          const at = yield* DateTime.now
          const erasure: Erasure = {
            ...(yield* CurrentActor),
            nameHash: hashSecret(name),
            at,
            settledAt: DateTime.addDuration(at, finalizeGrace),
            gone: {}
          }
          const isBegun = yield* auditing(
            { action: "account.erased", at, subject: `account:${id}` },
            store.begin(id, erasure),
            (isBegun) => isBegun
          )
          return isBegun ? { id, erasure } : undefined
        }),
        next: Effect.fn("Erasures.next")(function* (account) {
          const uploads = yield* uploadsOf(account)
          return { count: uploads.length, bytes: uploads.reduce((sum, { bytes }) => sum + bytes, 0) }
        }),
        step: Effect.fn("Erasures.step")(function* ({ erasure: { actor, address, gone, settledAt }, id }) {
          const now = yield* Effect.flatMap(DateTime.now, sweeps.earlierTime)
          const uploads = yield* Effect.forEach(yield* uploadsOf(id), (upload) =>
            Effect.map(removals.of([upload]), (removals) => ({ ...upload, removals }))
          )
          const take = store.eraseStep({ account: id, now, uploads, limit: recordBatchFactor * sweep.batch })
          if (uploads.length > 0 || DateTime.isLessThan(now, settledAt)) {
            const step = yield* take
            yield* removals.begin(uploads.flatMap((upload) => upload.removals))
            return step.erased
          }
          const finished = auditing(
            { action: "erasure.finished", at: now, subject: `account:${id}`, detail: erasedCountsText(gone) },
            take,
            ({ isOver }) => isOver
          )
          const by = { actor, ...(address === undefined ? {} : { address }) }
          return (yield* Effect.provideService(finished, CurrentActor, by)).erased
        })
      })
    })
  )
}
