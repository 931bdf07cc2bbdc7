import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../model/Account.ts"
import { perAccount } from "./perAccount.ts"
import { Settings } from "./Settings.ts"

/** Limits concurrent digest computations per account, so that one account's uploads never block another's. */
export class DigestPermits extends Context.Service<
  DigestPermits,
  {
    /** Runs an effect with a permit: at most `digestsAtOnce` effects of one account run at once. */
    readonly withPermit: <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("slipway/core/service/DigestPermits") {
  static readonly layer = Layer.effect(
    DigestPermits,
    Effect.gen(function* () {
      const withPermit = yield* perAccount((yield* Settings).digestsAtOnce)
      return DigestPermits.of({ withPermit })
    })
  )
}
