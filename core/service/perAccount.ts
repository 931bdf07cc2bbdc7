import { Effect, RcMap, Semaphore } from "effect"
import type { AccountId } from "../model/Account.ts"

/**
 * Runs at most `places` effects of one account at once; its other effects wait in order. Other accounts' effects don't
 * wait for them. Nothing is stored for an account without running effects.
 */
export const perAccount = Effect.fnUntraced(function* (places: number) {
  const lookup: (account: AccountId) => Effect.Effect<Semaphore.Semaphore> = () => Semaphore.make(places)
  const semaphores = yield* RcMap.make({ lookup })
  return Effect.fnUntraced(function* <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) {
    const semaphore = yield* RcMap.get(semaphores, account)
    return yield* semaphore.withPermit(run)
  }, Effect.scoped)
})
