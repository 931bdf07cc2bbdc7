import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { accountOf } from "../parts/Call.ts"
import type { Call } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { at, instead, isDone, notFound, refusing, without } from "../parts/fronts.ts"
import { items } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const finalize = at("previews.finalize")

const isForeign = (call: Call): boolean =>
  call.reservation !== undefined && accountOf(call.reservation.call) !== accountOf(call)

/** A finalize that is refused uses its token up, where `burns` says so. */
const usingUp =
  (burns: (call: Call, refusal: Answer) => boolean): Front =>
  (ask, target) => {
    const used = new Set<unknown>()
    const remember = (call: Call) => (answered: Answer) =>
      Effect.sync(() => !isDone(answered) && burns(call, answered) && used.add(call.fields.token))
    const front = instead(finalize, (call, ask) =>
      used.has(call.fields.token) ? Effect.succeed(notFound) : Effect.tap(ask(call), remember(call))
    )
    return front(ask, target)
  }

const declares = (call: Call, name: "files" | "recordings"): boolean =>
  items(call.reservation?.call.fields[name]).length > 0

/** When a preview is hosted, and what is answered of that. */
export const finalizeMutants: ReadonlyArray<Mutant> = [
  {
    id: "previews.finalize.no-url",
    fault: "The finalize of a preview answers no url.",
    caughtBy: ["previews.finalize.hosted-url"],
    front: without(finalize, "url")
  },
  {
    id: "previews.finalize.files-or-recordings",
    fault: "A preview that has both files and recordings is never hosted.",
    caughtBy: [
      "previews.finalize.all-objects",
      "previews.finalize.after-missing",
      "previews.read.foreign",
      "previews.key.read",
      "previews.scope.read"
    ],
    front: refusing(at("previews.finalize", (call) => declares(call, "files") && declares(call, "recordings")))
  },
  {
    id: "previews.finalize.used-up-incomplete",
    fault: "A finalize that is refused, as an object is missing, uses up its token.",
    caughtBy: ["previews.finalize.after-missing"],
    front: usingUp((_, { status }) => status === 409)
  },
  {
    id: "previews.finalize.used-up-by-another",
    fault: "A finalize by another account is refused and uses up the token.",
    caughtBy: ["previews.finalize.after-foreign"],
    front: usingUp(isForeign)
  }
]
