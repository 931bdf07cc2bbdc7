import { Effect } from "effect"
import type { Caller, Scope } from "../../../core/model/ApiKey.ts"

/** The result if the key may see it, else `undefined`. */
export const ifAllowed = <A, E, R>(caller: Caller, scope: Scope, effect: Effect.Effect<A, E, R>) =>
  caller.scopes.includes(scope) ? effect : Effect.undefined
