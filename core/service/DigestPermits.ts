import { Context, Effect, Layer, RcMap, Semaphore } from "effect"
import type { AccountId } from "../model/Account.ts"
import { Settings } from "./Settings.ts"

/** Limits concurrent digest computations per account, so that one account's uploads never block another's. */
export class DigestPermits extends Context.Service<
  DigestPermits,
  {
    /**
     * Runs an effect with a permit: at most `digestsAtOnce` effects of one account run at once; its others wait in order. Nothing is
     * stored for an account without running effects.
     */
    readonly withPermit: <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("slipway/core/service/DigestPermits") {
  static readonly layer = Layer.effect(
    DigestPermits,
    Effect.gen(function* () {
      const { digestsAtOnce } = yield* Settings
      const lookup: (account: AccountId) => Effect.Effect<Semaphore.Semaphore> = () => Semaphore.make(digestsAtOnce)
      const semaphores = yield* RcMap.make({ lookup })
      const withPermit = Effect.fnUntraced(function* <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) {
        const semaphore = yield* RcMap.get(semaphores, account)
        return yield* semaphore.withPermit(run)
      }, Effect.scoped)
      return DigestPermits.of({ withPermit })
    })
  )
}
