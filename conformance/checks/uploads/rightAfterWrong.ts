import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { isRefused, mustAnswer } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { bundleSlot } from "./Flow.ts"
import type { Flow } from "./Flow.ts"
import { misfits } from "./wrongPuts.ts"

const rightAfterWrong = ({ finalize, profile, reserve }: Flow): Check => ({
  id: `${profile}.put.right-after-wrong`,
  profile,
  title: "A slot that refused a PUT takes the declared bytes afterwards.",
  cost: { requests: 6, bytes: 4 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const reserved = yield* reserve
    const slot = yield* bundleSlot(reserved)
    for (const { sent } of misfits) {
      // One that takes these may well be full now; that is for the checks of wrong bytes and types.
      if (!isRefused(yield* dialect.put(slot, sent(slot, session.content)))) return
    }
    yield* uploadAll(reserved)
    yield* mustAnswer(yield* finalize(reserved), "The finalize after wrong PUTs were refused and the right one taken")
  })
})

export const rightAfterWrongChecks = (flow: Flow): ReadonlyArray<Check> => [rightAfterWrong(flow)]
