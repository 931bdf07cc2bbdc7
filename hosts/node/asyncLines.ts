import { Effect, type Scope } from "effect"
import { writeSync } from "node:fs"
import sonicBoom from "sonic-boom"
import { lineOf } from "./logger.ts"
import type { LogFormat } from "./settings/accessLogSetting.ts"

/** Writes lines of text in batches, without blocking the caller. */
export type WriteLine = (line: string) => void

/** The buffer for a slow reader, in characters. Lines beyond it are dropped. */
const mostWaiting = 1024 ** 2

/** The size of an atomic write to a pipe, so that lines of several writers don't mix. */
const atomicWrite = 4096

/**
 * Writes to a file descriptor asynchronously. The buffer is flushed when the scope closes, and when the process exits,
 * also by an uncaught error, where some lines may be written twice; a process that is killed with SIGKILL loses it.
 */
export const asyncLines = (fd: number, format: LogFormat = "text"): Effect.Effect<WriteLine, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const stream = new sonicBoom.SonicBoom({ fd, maxWrite: atomicWrite, maxLength: mostWaiting })
        // The other end of the pipe is closed. The process continues without writing.
        const unread = () => undefined
        stream.on("error", unread)
        let dropped = 0
        stream.on("drop", () => (dropped += 1))
        stream.on("drain", () => {
          if (dropped === 0) return
          const message = `the reader of the log was too slow for ${dropped} lines`
          stream.write(`${lineOf(format, { level: "WARN", message })}\n`)
          dropped = 0
        })
        const flush = () => {
          try {
            stream.flushSync()
          } catch {
            unread()
          }
        }
        const onExit = () => {
          // The process may end before another thread does the write that was begun, so its lines are written again.
          const begun: unknown = Reflect.get(stream, "_writingBuf")
          try {
            if (typeof begun === "string" && begun !== "") writeSync(fd, begun)
          } catch {
            unread()
          }
          flush()
        }
        process.on("exit", onExit)
        return { stream, flush, onExit }
      }),
      ({ flush, onExit, stream }) =>
        Effect.sync(() => {
          process.removeListener("exit", onExit)
          flush()
          stream.removeAllListeners("drain")
        })
    ),
    ({ stream }) =>
      (line) =>
        void stream.write(`${line}\n`)
  )
