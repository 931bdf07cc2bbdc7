import { Effect, RcMap, Stream, type Scope } from "effect"
import type { AccountId } from "../model/Account.ts"
import { makeFairSemaphore, type FairSemaphore } from "./fairSemaphore.ts"

/** How many pieces are stored at once while several accounts upload. With more of them, less is left to each account. */
const piecesAtOnce = 2

/** How many uploads are ended at once then. Ending waits for the disk, and doesn't delay pieces. */
const endsAtOnce = 2

/**
 * Shares a host fairly between the accounts that upload, regardless of their number of uploads. For one upload, the effect returns
 * a transformation of its bytes, to apply just before they are stored.
 *
 * Accounts get permits in turn; within an account, the order is first come, first served. A permit is acquired when a piece has
 * arrived, so that a slow sender holds none, and is released when the next piece is requested. After the last piece it is held until
 * the scope closes. An upload that waits reads no further bytes. If only one account uploads, nothing waits.
 */
export const makeUploadPermits = Effect.gen(function* () {
  const [piecePermits, endPermits] = [makeFairSemaphore(piecesAtOnce), makeFairSemaphore(endsAtOnce)]

  let uploadingAccounts = 0
  const count = (by: number) => Effect.sync(() => void (uploadingAccounts += by))
  const lookup: (account: AccountId) => Effect.Effect<void, never, Scope.Scope> = () =>
    Effect.acquireRelease(count(1), () => count(-1))
  const uploading = yield* RcMap.make({ lookup })

  return Effect.fnUntraced(function* (account: AccountId) {
    yield* RcMap.get(uploading, account)
    let held: FairSemaphore | undefined
    const acquire = (permits: FairSemaphore) =>
      Effect.uninterruptibleMask((restore) =>
        uploadingAccounts === 1
          ? Effect.void
          : Effect.map(restore(permits.acquire(account)), () => {
              held = permits
            })
      )
    const release = Effect.suspend(() => {
      const permits = held
      held = undefined
      return permits === undefined ? Effect.void : permits.release
    })
    yield* Effect.addFinalizer(() => release)
    // Bytes that came meanwhile are read first, so that every upload that has some requests a permit before the next one is given.
    const releaseHeld = Effect.suspend(() =>
      held === undefined ? Effect.void : Effect.andThen(Effect.yieldNow, release)
    )

    return <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
      Stream.concat(
        Stream.transformPull(bytes, (pull) =>
          Effect.succeed(Effect.tap(Effect.andThen(releaseHeld, pull), () => acquire(piecePermits)))
        ),
        Stream.fromEffectDrain(Effect.andThen(releaseHeld, acquire(endPermits)))
      )
  })
})
