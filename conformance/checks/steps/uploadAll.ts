import { Effect } from "effect"
import { Dialect, type Reserved } from "../../dialect/Dialect.ts"
import { testedBy } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import { mustAnswer } from "./answers.ts"

/** PUTs the declared bytes to every slot at once, with the content type that the slot names and no key. Each must return 2xx. */
export const uploadAll = Effect.fnUntraced(function* ({ shareId, slots }: Reserved) {
  const dialect = yield* Dialect
  const session = yield* Session
  const profile = shareId === undefined ? "builds" : "previews"
  const tested = testedBy(shareId === undefined ? "builds.files" : "previews.finalize.all-objects")
  const puts = slots.map((slot) => dialect.put(slot, slot))
  for (const answer of yield* Effect.all(puts, { concurrency: "unbounded" })) {
    yield* tested(mustAnswer(answer, "A PUT of the declared bytes"))
    yield* session.observe(`${profile}.put.status`, answer.status)
  }
})
