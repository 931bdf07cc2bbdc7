import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Reserved } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { mustAnswer } from "./answers.ts"

/** PUTs to every slot what was declared for it, with the returned content type and no key; each is answered with 2xx. */
export const uploadAll = Effect.fnUntraced(function* ({ shareId, slots }: Reserved) {
  const dialect = yield* Dialect
  const session = yield* Session
  const profile = shareId === undefined ? "builds" : "previews"
  for (const slot of slots) {
    const answer = yield* dialect.put(slot, slot)
    yield* mustAnswer(answer, "A PUT of the declared bytes")
    yield* session.observe(`${profile}.put.status`, answer.status)
  }
})
