import { Effect } from "effect"
import type { AccountId } from "../model/Account.ts"

/** Turns at something that so many may do at once. */
export interface FairSemaphore {
  /** Waits for a turn, which lasts until it is given back. An interruption while it waits takes none. */
  readonly acquire: (account: AccountId) => Effect.Effect<void>
  readonly release: Effect.Effect<void>
}

/**
 * Turns that accounts have one after the other: an account that has just had one is behind all others that wait. Within an account
 * whoever asks first is first. (Effect's `PartitionedSemaphore` puts who asks again before some that wait already, so that one
 * account can wait as long as two others keep asking.)
 */
export const makeFairSemaphore = (atOnce: number): FairSemaphore => {
  let free = atOnce
  // A map keeps its keys in the order in which they were set: the account that waits longest is the first.
  const waiting = new Map<AccountId, Set<() => void>>()

  const endTurn = () => {
    const [first] = waiting
    if (first === undefined) {
      free += 1
      return
    }
    const [account, ofAccount] = first
    const [begin] = ofAccount
    waiting.delete(account)
    if (begin === undefined) return
    ofAccount.delete(begin)
    if (ofAccount.size > 0) waiting.set(account, ofAccount)
    begin()
  }

  return {
    acquire: (account) =>
      Effect.callback<void>((resume) => {
        if (free > 0) {
          free -= 1
          return resume(Effect.void)
        }
        let isGiven = false
        const begin = () => {
          isGiven = true
          // Not at once: else each turn would begin within the end of the one before, however many wait.
          queueMicrotask(() => resume(Effect.void))
        }
        const ofAccount = waiting.get(account) ?? new Set()
        waiting.set(account, ofAccount.add(begin))
        return Effect.sync(() => {
          if (isGiven) return endTurn()
          ofAccount.delete(begin)
          if (ofAccount.size === 0) waiting.delete(account)
        })
      }),
    release: Effect.sync(endTurn)
  }
}
