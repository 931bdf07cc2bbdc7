import { Effect, Logger } from "effect"
import { inWords } from "./inWords.ts"

/** How many lines of the log a failure shows. The last ones name its reason. */
const shown = 10

/**
 * Runs a case without printing what it logs, because engines that fail on purpose log each failure. The error of a case that fails has
 * the last lines.
 */
export const withKeptLog = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, Error, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const keep = Logger.map(Logger.formatSimple, (line) => {
      lines.push(line)
      if (lines.length > shown) lines.shift()
    })
    return run.pipe(
      Effect.provide(Logger.layer([keep])),
      Effect.mapError((failure) => inWords(failure, lines)),
      Effect.catchDefect((defect) => Effect.die(inWords(defect, lines)))
    )
  })
