import { Effect, type Scope } from "effect"
import sonicBoom from "sonic-boom"

/** Writes lines of text, each at once with what else waits, and never in the time of who tells them. */
export type WriteLine = (line: string) => void

/** What may wait for a reader that is slow, in characters. What comes after that is dropped. */
const mostWaiting = 1024 ** 2

/** What a pipe takes as a whole, so that no line is torn by one that another writer of the same pipe writes. */
const atomicWrite = 4096

/**
 * Writes to a file descriptor beside the work of the process. What waits is written when the scope closes, and when the process
 * exits, also by an error that nobody caught; a process that is killed at once loses it.
 */
export const asyncLines = (fd: number): Effect.Effect<WriteLine, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const stream = new sonicBoom.SonicBoom({ fd, maxWrite: atomicWrite, maxLength: mostWaiting })
        // Nobody reads any more, as when the other end of a pipe is closed. The process goes on.
        const unread = () => undefined
        stream.on("error", unread)
        let dropped = 0
        stream.on("drop", () => (dropped += 1))
        stream.on("drain", () => {
          if (dropped === 0) return
          stream.write(`level=WARN message="the reader of the log was too slow for ${dropped} lines"\n`)
          dropped = 0
        })
        const flush = () => {
          try {
            stream.flushSync()
          } catch {
            unread()
          }
        }
        process.on("exit", flush)
        return { stream, flush }
      }),
      ({ flush, stream }) =>
        Effect.sync(() => {
          process.removeListener("exit", flush)
          flush()
          stream.removeAllListeners("drain")
        })
    ),
    ({ stream }) =>
      (line) =>
        void stream.write(`${line}\n`)
  )
