import { Context, DateTime, Effect, Layer } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ErasedAccount, Erasure, ErasedCounts } from "../model/Erasure.ts"
import type { Unavailable } from "../model/Problem.ts"
import { ErasureStore } from "../ports/ErasureStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { erasedCountsText } from "../rules/erasures.ts"
import { finalizeGrace } from "../rules/removals.ts"
import { hashSecret } from "../rules/secrets.ts"
import { CurrentActor, makeAuditing } from "./auditing.ts"
import { Removals } from "./Removals.ts"
import { Settings } from "./Settings.ts"

/** How many times as many records without bytes are taken at once as uploads. */
const recordBatchFactor = 10

/**
 * Erases accounts. The first commit hides all of it, on every host; then it goes in steps, each right by itself, so that a sweep
 * finishes what was broken off. @see docs/export-and-erase-accounts.md
 */
export class Erasures extends Context.Service<
  Erasures,
  {
    /** The accounts that are being erased. */
    readonly list: Effect.Effect<ReadonlyArray<ErasedAccount>, Unavailable>
    /** The account that had this name, and this id where it is given, and is being erased; of several, the last one. */
    readonly named: (name: string, id?: AccountId) => Effect.Effect<ErasedAccount | undefined, Unavailable>
    /** Hides an account, and writes it down in the audit log. Answers `undefined` when it isn't there any more. */
    readonly begin: (account: Account) => Effect.Effect<ErasedAccount | undefined, WriteFailure>
    /** How many uploads the next step takes, and the bytes that they declared. */
    readonly next: (
      account: AccountId
    ) => Effect.Effect<{ readonly count: number; readonly bytes: number }, Unavailable>
    /**
     * One step: takes some of an account, and removes its bytes. Answers what it took; when that is nothing, nothing is left but
     * the account's id, which goes an hour after the first commit.
     */
    readonly step: (account: ErasedAccount) => Effect.Effect<ErasedCounts, WriteFailure>
  }
>()("slipway/core/service/Erasures") {
  static readonly layer = Layer.effect(
    Erasures,
    Effect.gen(function* () {
      const store = yield* ErasureStore
      const sweeps = yield* SweepStore
      const removals = yield* Removals
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
            const taken = yield* take
            yield* removals.begin(uploads.flatMap((upload) => upload.removals))
            return taken.erased
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
