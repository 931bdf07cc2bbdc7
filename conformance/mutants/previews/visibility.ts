import { Effect } from "effect"
import { accountOf, by } from "../parts/Call.ts"
import { answer, at, goingOn } from "../parts/fronts.ts"
import type { Front } from "../parts/Front.ts"
import { forEither, forNobodys } from "../parts/isolation.ts"
import { members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const read = at("previews.read")

/** Refuses account b what is account a's, and says what it is. */
const tellingWhatItIs: Front = goingOn(
  at("previews.read", (call) => accountOf(call) === "b"),
  (refusal, call, ask) =>
    refusal.status === 404
      ? Effect.map(ask(by(call, "a")), ({ json }) =>
          answer(403, { code: "forbidden", detail: `You may not open ${String(members(json).url)}.` })
        )
      : Effect.succeed(refusal)
)

/** Who sees a preview. */
export const visibilityMutants: ReadonlyArray<Mutant> = [
  {
    id: "previews.read.foreign-shown",
    fault: "Another account's preview is shown.",
    caughtBy: ["previews.read.foreign"],
    front: forEither(read)
  },
  {
    id: "previews.read.foreign-told",
    fault: "The refusal of another account's preview tells its url.",
    caughtBy: ["previews.read.foreign"],
    front: tellingWhatItIs
  },
  {
    id: "previews.read.unknown-empty",
    fault: "A preview that was never made is answered 200, with nothing.",
    caughtBy: ["previews.read.unknown"],
    front: forNobodys(read, answer(200, {}))
  }
]
