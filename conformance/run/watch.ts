import { Effect, Semaphore } from "effect"
import type { Config } from "../config/Config.ts"
import { interrupted } from "../session/live.ts"
import type { Transport } from "../session/transport.ts"
import type { Ended } from "./judge.ts"
import { reach } from "./reach.ts"

/** After this many checks in a row without an answer, the run tests whether the target can still be reached. */
const enough = 3

/** Ensures that a run ends, whatever the target does. */
export interface Watch {
  /** Limits a check to this many milliseconds. After the target is lost, the check doesn't run. */
  readonly over: (
    judging: Effect.Effect<Ended, never, Transport>,
    leftMs: number
  ) => Effect.Effect<Ended, never, Transport>
  /** Counts a request that was answered 429 to the end. After as many, the target is lost for this reason. */
  readonly throttled: (reason: string) => Effect.Effect<void>
  /** Asks the target once more, whether anything still answers. */
  readonly askOnce: Effect.Effect<void, never, Transport>
  /** Why the target can't be reached any more; `undefined` while it can be reached. */
  readonly lost: Effect.Effect<string | undefined>
}

const noAnswer = (reason: string): Ended => ({ outcome: "no-answer", reason })

export const makeWatch = Effect.fnUntraced(function* (
  config: Config,
  signal: AbortSignal | undefined
): Effect.fn.Return<Watch> {
  const asking = yield* Semaphore.make(1)
  let lost: string | undefined
  let inARow = 0
  let timesThrottled = 0

  const lose = (reason: string) => void (lost ??= `In the middle of the run: ${reason}`)
  const askOnce = Effect.match(reach(config), {
    onSuccess: () => void (inARow = 0),
    onFailure: ({ reason }) => lose(reason)
  })
  const askAgain = asking.withPermit(
    Effect.suspend(() => (lost !== undefined || inARow < enough ? Effect.void : askOnce))
  )
  const throttled = (reason: string) =>
    Effect.sync(() => {
      timesThrottled += 1
      if (timesThrottled >= enough) lose(reason)
    })
  const over: Watch["over"] = (judging, leftMs) => {
    if (signal?.aborted === true) lose(interrupted)
    if (lost !== undefined) return Effect.succeed(noAnswer(lost))
    const late = noAnswer(
      `The deadline of the run, ${config.deadlineMs / 1000} seconds, came before this check had ended.`
    )
    if (leftMs <= 0) return Effect.succeed(late)
    return judging.pipe(
      Effect.timeoutOrElse({ duration: leftMs, orElse: () => Effect.succeed(late) }),
      Effect.tap(({ outcome }) => {
        if (signal?.aborted === true) lose(interrupted)
        inARow = outcome === "no-answer" ? inARow + 1 : 0
        return inARow < enough ? Effect.void : askAgain
      })
    )
  }
  return { over, throttled, askOnce, lost: Effect.sync(() => lost) }
})
