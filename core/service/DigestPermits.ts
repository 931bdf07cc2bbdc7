import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../model/Account.ts"
import { perAccount } from "./perAccount.ts"
import { Settings } from "./Settings.ts"

/** Whose turn it is to take digests, so that one account's uploads never keep the host from serving another's. */
export class DigestTurns extends Context.Service<
  DigestTurns,
  {
    /** Runs an effect when it is the account's turn: at most `digestsAtOnce` of one account run at once. */
    readonly take: <A, E, R>(account: AccountId, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("slipway/core/service/DigestTurns") {
  static readonly layer = Layer.effect(
    DigestTurns,
    Effect.gen(function* () {
      const take = yield* perAccount((yield* Settings).digestsAtOnce)
      return DigestTurns.of({ take })
    })
  )
}
