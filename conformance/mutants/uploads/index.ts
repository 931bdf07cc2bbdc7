import { Effect } from "effect"
import type { Front } from "../parts/Front.ts"
import { answer, at, isDone } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"
import type { Reservation } from "../parts/Call.ts"
import { lenient } from "./lenient.ts"
import { misusedMutants } from "./misused.ts"

/** A slot that has refused a PUT refuses every other. */
const shutsUp =
  (profile: Reservation["profile"]): Front =>
  (ask, target) => {
    const shut = new Set<string>()
    const isPut = at("put", ({ method, reservation }) => method === "PUT" && reservation?.profile === profile)
    return (call) => {
      if (!isPut(call, target)) return ask(call)
      if (shut.has(call.url)) return Effect.succeed(answer(403, { code: "slot_closed" }))
      return Effect.tap(ask(call), (answer) => Effect.sync(() => !isDone(answer) && shut.add(call.url)))
    }
  }

/** What the slots of builds, or of previews, take and shouldn't. */
export const uploadMutants = (profile: Reservation["profile"]): ReadonlyArray<Mutant> => [
  {
    id: `${profile}.put.shorter-taken`,
    fault: "Fewer bytes than were declared are taken and finalized.",
    caughtBy: [`${profile}.put.shorter`],
    front: lenient(profile, (sent, declared) => sent.sizeBytes < declared.sizeBytes)
  },
  {
    id: `${profile}.put.longer-taken`,
    fault: "More bytes than were declared are taken and finalized.",
    caughtBy: [`${profile}.put.longer`],
    front: lenient(profile, (sent, declared) => sent.sizeBytes > declared.sizeBytes)
  },
  {
    id: `${profile}.put.other-type-taken`,
    fault: "The declared bytes are taken and finalized with another content type.",
    caughtBy: [`${profile}.put.other-type`],
    front: lenient(profile, (sent, declared) => sent.contentType !== declared.contentType)
  },
  {
    id: `${profile}.put.digest-ignored`,
    fault: "As many other bytes as were declared are taken and finalized.",
    caughtBy: [`${profile}.put.other-bytes`],
    front: lenient(
      profile,
      (sent, declared) => sent.sizeBytes === declared.sizeBytes && sent.sha256 !== declared.sha256
    )
  },
  ...misusedMutants(profile),
  {
    id: `${profile}.put.refused-for-good`,
    fault: "A slot that has refused a PUT refuses every other.",
    caughtBy: [`${profile}.put.right-after-wrong`],
    front: shutsUp(profile)
  }
]
