import { Effect, RcMap, Semaphore } from "effect"
import type { AccountId } from "../model/Account.ts"

/**
 * Lets at most `places` effects of one account run at once; its others wait, first come, first served. Those of other
 * accounts don't wait for them. Nothing is kept of an account for which nothing runs.
 */
export const perAccount = Effect.fnUntraced(function* (places: number) {
  const lookup: (account: AccountId) => Effect.Effect<Semaphore.Semaphore> = () => Semaphore.make(places)
  const semaphores = yield* RcMap.make({ lookup })
  return Effect.fnUntraced(function* <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) {
    const semaphore = yield* RcMap.get(semaphores, account)
    return yield* semaphore.withPermit(run)
  }, Effect.scoped)
})
