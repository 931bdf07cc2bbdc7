import { accountOf, keyOf } from "./Call.ts"
import { answer, at, outright, refusing } from "./fronts.ts"
import { doneInSecret, forEither } from "./isolation.ts"
import type { Mutant } from "./Mutant.ts"
import type { Reservation } from "./Call.ts"

/** By whose key, and with which token, builds or previews are finalized. */
export const finalizerMutants = (profile: Reservation["profile"]): ReadonlyArray<Mutant> => {
  const finalize = at(`${profile}.finalize`)
  return [
    {
      id: `${profile}.finalize.foreign-taken`,
      fault: "Another account's key finalizes.",
      caughtBy: [`${profile}.finalize.foreign-account`],
      front: forEither(finalize)
    },
    {
      id: `${profile}.finalize.foreign-done`,
      fault: "A finalize by another account's key is refused, and done all the same.",
      caughtBy: [`${profile}.finalize.foreign-account`],
      front: doneInSecret(finalize)
    },
    {
      id: `${profile}.finalize.own-key-only`,
      fault: "No key finalizes but the one that reserved.",
      caughtBy: [`${profile}.finalize.other-key`],
      front: refusing(
        at(
          `${profile}.finalize`,
          (call) =>
            call.reservation !== undefined &&
            accountOf(call.reservation.call) === accountOf(call) &&
            keyOf(call.reservation.call) !== keyOf(call)
        )
      )
    },
    {
      id: `${profile}.finalize.any-token`,
      fault: "A finalize with a token that was never given is answered 201.",
      caughtBy: [`${profile}.finalize.unknown-token`],
      front: outright(
        at(`${profile}.finalize`, ({ fields, reservation }) => fields.token !== undefined && reservation === undefined),
        answer(201, { url: "http://reference.example/of-nothing" })
      )
    }
  ]
}
