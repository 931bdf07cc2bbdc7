import { accountOf, keyOf, type Call, type Reservation } from "./Call.ts"
import { answer, at, outright, refusing } from "./fronts.ts"
import { doneSilently, forEither } from "./isolation.ts"
import { usingUp } from "./usingUp.ts"
import type { MutantTable } from "./Mutant.ts"

const isForeign = (call: Call): boolean =>
  call.reservation !== undefined && accountOf(call.reservation.call) !== accountOf(call)

const isByOtherKey = (call: Call): boolean =>
  call.reservation !== undefined && !isForeign(call) && keyOf(call.reservation.call) !== keyOf(call)

/** By whose key, and with which token, builds or previews are finalized. */
export const finalizerMutants = (profile: Reservation["profile"]): MutantTable => {
  const endpoint = `${profile}.finalize` as const
  return {
    "finalize.foreign-taken": ["Another account's key finalizes.", "finalize.foreign-account", forEither(at(endpoint))],
    "finalize.foreign-done": [
      "A finalize by another account's key is refused, and done all the same.",
      "finalize.foreign-account",
      doneSilently(at(endpoint))
    ],
    "finalize.used-up-by-another": [
      "A finalize by another account is refused and uses up the token.",
      "finalize.after-foreign",
      usingUp(profile, isForeign)
    ],
    "finalize.own-key-only": [
      "Only the key that reserved can finalize.",
      "finalize.other-key",
      refusing(at(endpoint, isByOtherKey))
    ],
    "finalize.any-token": [
      "A finalize with an unknown token is answered 201.",
      "finalize.unknown-token",
      outright(
        at(endpoint, ({ fields, reservation }) => fields.token !== undefined && reservation === undefined),
        answer(201, { url: "http://reference.example/of-nothing" })
      )
    ]
  }
}
