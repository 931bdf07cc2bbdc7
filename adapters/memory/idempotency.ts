import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { IdempotentAnswer } from "../../core/model/Idempotency.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import type { State } from "./state.ts"

const place = (account: AccountId, keyHash: string): string => `${account} ${keyHash}`

const alive = (state: State, account: AccountId, keyHash: string, now: DateTime.Utc): IdempotentAnswer | undefined => {
  const kept = state.answers.get(place(account, keyHash))
  return kept !== undefined && DateTime.isLessThan(now, kept.expiresAt) ? kept : undefined
}

export const idempotencyStore = (state: State) =>
  IdempotencyStore.of({
    find: (account, keyHash, now) => Effect.sync(() => Option.fromUndefinedOr(alive(state, account, keyHash, now)))
  })

/** Whether a commit may go on because nothing is kept under its key. */
export const isFirst = (state: State, once: Once | undefined): boolean =>
  once === undefined || alive(state, once.answer.accountId, once.answer.keyHash, once.now) === undefined

/** Keeps the answer with the change that is being committed. */
export const keepAnswer = (state: State, once: Once | undefined): void => {
  if (once !== undefined) state.answers.set(place(once.answer.accountId, once.answer.keyHash), once.answer)
}
