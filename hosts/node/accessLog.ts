import { Effect, type Scope } from "effect"
import { writeSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import sonicBoom from "sonic-boom"
import { attachNotes, notesOf } from "../http/requestContext.ts"
import { pathOfRoute } from "../http/loggedPath.ts"
import { lineOf } from "./logger.ts"
import type { LogFormat } from "./settings/settings.ts"

/** The trace of the client, whether this host exports its part or not. */
const traceIdOf = (traceparent: unknown): string | undefined =>
  /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(String(traceparent))?.[1]

/** Call it when a request begins; it writes a line when the request has ended. */
export type AccessLog = (request: IncomingMessage, response: ServerResponse) => void

/**
 * A line for each request, in the format of the other lines of the log. `share` of all requests have one, and each that is answered
 * 500 or above. `random` answers a number from 0 up to 1.
 */
export const accessLogTo =
  (
    write: WriteLine,
    {
      format = "text",
      random = Math.random,
      share
    }: { readonly share: number; readonly format?: LogFormat; readonly random?: () => number }
  ): AccessLog =>
  (request, response) => {
    const { method = "", socket, url = "" } = request
    const [began, writtenBefore] = [performance.now(), socket.bytesWritten]
    attachNotes(request)
    response.once("close", () => {
      // The client disconnected before the answer.
      const status = response.headersSent ? response.statusCode : undefined
      if ((status ?? 0) < 500 && random() >= share) return
      const { account, key, requestId, route, traceId } = notesOf(request)
      const fields = {
        timestamp: new Date().toISOString(),
        level: "INFO",
        message: "request",
        requestId,
        method,
        path: pathOfRoute(route, url),
        // A truncated answer has its status too, so this marks that its end is missing.
        ...(response.writableFinished ? {} : { cut: true }),
        status,
        ms: Math.round((performance.now() - began) * 10) / 10,
        bytes: socket.bytesWritten - writtenBefore,
        account,
        key,
        traceId: traceId ?? traceIdOf(request.headers.traceparent)
      }
      write(lineOf(format, fields))
    })
  }

/** Writes lines of text in batches, without blocking the caller. */
type WriteLine = (line: string) => void

/** The buffer for a slow reader, in characters. Lines beyond it are dropped. */
const maxWaiting = 1024 ** 2

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
        const stream = new sonicBoom.SonicBoom({ fd, maxWrite: atomicWrite, maxLength: maxWaiting })
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
