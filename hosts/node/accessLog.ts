import type { IncomingMessage, ServerResponse } from "node:http"
import { attachNotes, notesOf } from "../http/accessNotes.ts"
import { pathOfRoute } from "../http/loggedPath.ts"
import { lineOf } from "./logger.ts"
import type { LogFormat } from "./settings/accessLogSetting.ts"
import type { WriteLine } from "./asyncLines.ts"

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
