import { Effect } from "effect"
import type { AccountId } from "../model/Account.ts"

/** A semaphore that is fair between accounts. */
export interface FairSemaphore {
  /** Waits for a permit, which must be released. An interruption while it waits acquires none. */
  readonly acquire: (account: AccountId) => Effect.Effect<void>
  readonly release: Effect.Effect<void>
}

/**
 * Permits are given to waiting accounts in turn: an account that just had one comes after all others. QuotaCheck an account, the order
 * is first come, first served. (Effect's `PartitionedSemaphore` puts a new request before some waiting ones, so that one account
 * can wait as long as two others keep calling.)
 */
export const makeFairSemaphore = (atOnce: number): FairSemaphore => {
  let free = atOnce
  // A map keeps its keys in the order in which they were set: the account that waits longest is the first.
  const waiting = new Map<AccountId, Set<() => void>>()

  const releasePermit = () => {
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
          // In a microtask: otherwise each release would run the work of the next permit within itself, however many wait.
          queueMicrotask(() => resume(Effect.void))
        }
        const ofAccount = waiting.get(account) ?? new Set()
        waiting.set(account, ofAccount.add(begin))
        return Effect.sync(() => {
          if (isGiven) return releasePermit()
          ofAccount.delete(begin)
          if (ofAccount.size === 0) waiting.delete(account)
        })
      }),
    release: Effect.sync(releasePermit)
  }
}
