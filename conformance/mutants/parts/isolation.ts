/** Faults that mix two accounts. */
import { Effect } from "effect"
import type { AccountName, Answer } from "../../session/Exchange.ts"
import { accountOf, by, keyOf, type Call, type Endpoint } from "./Call.ts"
import type { Target } from "../../testing/Target.ts"
import type { Ask, Front } from "./Front.ts"
import { answer, at, continuing, isDone, type Where } from "./fronts.ts"
import { members } from "./json.ts"

const others: Readonly<Record<AccountName, AccountName>> = { a: "b", b: "a" }

/** The other account's answer to a refused request; `undefined` when it wasn't refused or came without an account's key. */
const forTheOther = (call: Call, ask: Ask, answer: Answer): Effect.Effect<Answer | undefined> => {
  const account = accountOf(call)
  return account === undefined || isDone(answer) ? Effect.undefined : ask(by(call, others[account]))
}

/** Answers a refused request as if the other account had made it, where that is done. */
export const forEither = (where: Where): Front =>
  continuing(where, (answer, call, ask) =>
    Effect.map(forTheOther(call, ask, answer), (other) => (other !== undefined && isDone(other) ? other : answer))
  )

/** Refuses the request, and does it all the same as if the other account had made it. */
export const doneSilently = (where: Where): Front =>
  continuing(where, (answer, call, ask) => Effect.as(forTheOther(call, ask, answer), answer))

/** Whether these are the names of the repository that isn't linked to account a. */
export const isUnlinked = (owner: unknown, repo: unknown, { config }: Target): boolean => {
  const { unlinked } = config.accounts.a
  return owner === unlinked.owner && repo === unlinked.repo
}

/** Whether these are the names of a repository that isn't linked to account a, of the owner of one that is. */
export const isBelowOwner = (owner: unknown, repo: unknown, { config }: Target): boolean => {
  const { linked, second } = config.accounts.a
  return owner === linked.owner && repo !== undefined && repo !== linked.repo && repo !== second?.repo
}

/** Answers this where both accounts are refused, whatever their keys allow. */
export const forUnownedResource = (where: Where, answered: Answer): Front =>
  continuing(where, (answer, call, ask) =>
    Effect.map(forTheOther(call, ask, answer), (other) =>
      keyOf(call) === "all" && other !== undefined && !isDone(other) ? answered : answer
    )
  )

/** Refuses account b what is account a's with an answer that has its url. */
export const foreignUrl = (endpoint: Endpoint, status: number, code: string): Front =>
  continuing(
    at(endpoint, (call) => accountOf(call) === "b"),
    (refusal, call, ask) =>
      isDone(refusal)
        ? Effect.succeed(refusal)
        : Effect.map(ask(by(call, "a")), ({ json }) =>
            answer(status, { code, detail: `You may not open ${String(members(json).url)}.` })
          )
  )
