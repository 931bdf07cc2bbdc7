import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import type { Call, Reservation } from "./Call.ts"
import type { Front } from "./Front.ts"
import { at, instead, isDone, notFound } from "./fronts.ts"

/** A refused finalize uses up its token when `burns` is true of it. */
export const usingUp =
  (profile: Reservation["profile"], burns: (call: Call, refusal: Answer) => boolean): Front =>
  (ask, ...host) => {
    const used = new Set<unknown>()
    const remember = (call: Call) => (answered: Answer) =>
      Effect.sync(() => !isDone(answered) && burns(call, answered) && used.add(call.fields.token))
    const front = instead(at(`${profile}.finalize`), (call, ask) =>
      used.has(call.fields.token) ? Effect.succeed(notFound) : Effect.tap(ask(call), remember(call))
    )
    return front(ask, ...host)
  }
