/** How two accounts are taken for one. */
import { Effect } from "effect"
import type { AccountName, Answer } from "../../session/Exchange.ts"
import { accountOf, by } from "./Call.ts"
import type { Call } from "./Call.ts"
import type { Ask, Front } from "./Front.ts"
import { goingOn, isDone } from "./fronts.ts"
import type { Where } from "./fronts.ts"

const others: Readonly<Record<AccountName, AccountName>> = { a: "b", b: "a" }

/** What the other account is answered, where an account is refused; `undefined` where it isn't, or nobody asked. */
const forTheOther = (call: Call, ask: Ask, answer: Answer): Effect.Effect<Answer | undefined> => {
  const account = accountOf(call)
  return account === undefined || isDone(answer) ? Effect.undefined : ask(by(call, others[account]))
}

/** Whoever is refused gets what the other account would get. */
export const forEither = (where: Where): Front =>
  goingOn(where, (answer, call, ask) => Effect.map(forTheOther(call, ask, answer), (other = answer) => other))

/** Whoever is refused is told so, and what the other account may do is done all the same. */
export const doneInSecret = (where: Where): Front =>
  goingOn(where, (answer, call, ask) => Effect.as(forTheOther(call, ask, answer), answer))

/** What neither account has is answered so. */
export const forNobodys = (where: Where, answered: Answer): Front =>
  goingOn(where, (answer, call, ask) =>
    Effect.map(forTheOther(call, ask, answer), (other) =>
      answer.status === 404 && other?.status === 404 ? answered : answer
    )
  )
