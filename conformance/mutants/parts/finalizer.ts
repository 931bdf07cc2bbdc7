import { accountOf, keyOf, type Reservation } from "./Call.ts"
import { answer, at, outright, refusing } from "./fronts.ts"
import { doneSilently, forEither } from "./isolation.ts"
import { usingUp } from "./usingUp.ts"
import type { MutantTable } from "./Mutant.ts"

/** By whose key, and with which token, builds or previews are finalized. */
export const finalizerMutants = (profile: Reservation["profile"]): MutantTable => {
  const finalize = at(`${profile}.finalize`)
  return {
    [`${profile}.finalize.foreign-taken`]: [
      "Another account's key finalizes.",
      `${profile}.finalize.foreign-account`,
      forEither(finalize)
    ],
    [`${profile}.finalize.foreign-done`]: [
      "A finalize by another account's key is refused, and done all the same.",
      `${profile}.finalize.foreign-account`,
      doneSilently(finalize)
    ],
    [`${profile}.finalize.used-up-by-another`]: [
      "A finalize by another account is refused and uses up the token.",
      `${profile}.finalize.after-foreign`,
      usingUp(profile, (call) => call.reservation !== undefined && accountOf(call.reservation.call) !== accountOf(call))
    ],
    [`${profile}.finalize.own-key-only`]: [
      "Only the key that reserved can finalize.",
      `${profile}.finalize.other-key`,
      refusing(
        at(
          `${profile}.finalize`,
          (call) =>
            call.reservation !== undefined &&
            accountOf(call.reservation.call) === accountOf(call) &&
            keyOf(call.reservation.call) !== keyOf(call)
        )
      )
    ],
    [`${profile}.finalize.any-token`]: [
      "A finalize with an unknown token is answered 201.",
      `${profile}.finalize.unknown-token`,
      outright(
        at(`${profile}.finalize`, ({ fields, reservation }) => fields.token !== undefined && reservation === undefined),
        answer(201, { url: "http://reference.example/of-nothing" })
      )
    ]
  }
}
