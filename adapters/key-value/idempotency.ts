import { DateTime, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { IdempotentAnswer } from "../../core/model/Idempotency.ts"
import { IdempotencyStore, type Once } from "../../core/ports/IdempotencyStore.ts"
import type { Transaction } from "./KeyValueStore.ts"
import type { Run } from "./run.ts"
import { answers } from "./tables.ts"

const alive = async (
  tx: Transaction,
  account: AccountId,
  keyHash: string,
  now: DateTime.Utc
): Promise<IdempotentAnswer | undefined> => {
  const kept = await answers.find(tx, account, keyHash)
  return kept !== undefined && DateTime.isLessThan(now, kept.expiresAt) ? kept : undefined
}

export const idempotencyStore = (run: Run) =>
  IdempotencyStore.of({
    find: (account, keyHash, now) => run(async (tx) => Option.fromUndefinedOr(await alive(tx, account, keyHash, now)))
  })

/** Whether a commit may proceed: no answer is stored under its key. */
export const isFirst = async (tx: Transaction, once: Once | undefined): Promise<boolean> =>
  once === undefined || (await alive(tx, once.answer.accountId, once.answer.keyHash, once.now)) === undefined

/** Keeps the answer with the change that is being committed. */
export const storeAnswer = async (tx: Transaction, once: Once | undefined): Promise<void> => {
  if (once !== undefined) await answers.put(tx, once.answer, once.answer.accountId, once.answer.keyHash)
}
