import { Effect } from "effect"
import type { Scope } from "../../../core/model/ApiKey.ts"
import type { Caller } from "../../../core/model/Principal.ts"

/** The result if the key may see it, else `undefined`. */
export const ifAllowed = <A, E, R>(caller: Caller, scope: Scope, effect: Effect.Effect<A, E, R>) =>
  caller.scopes.includes(scope) ? effect : Effect.undefined
