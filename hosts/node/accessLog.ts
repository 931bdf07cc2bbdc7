import type { IncomingMessage, ServerResponse } from "node:http"
import { attachNotes, notesOf } from "../http/accessNotes.ts"
import { pathOfRoute } from "../http/shownPath.ts"
import type { WriteLine } from "./asyncLines.ts"

/** Call it when a request begins; it writes a line when the request has ended. */
export type AccessLog = (request: IncomingMessage, response: ServerResponse) => void

/** A value as logfmt has it, in quotes where it has to be. */
const shown = (value: string | number): string =>
  /^[^\s"=]+$/.test(String(value)) ? String(value) : JSON.stringify(String(value))

/**
 * A line of logfmt for each request, as the other lines of the log are. `share` of all requests have one, and each that is answered
 * 500 or above. `random` answers a number from 0 up to 1.
 */
export const accessLogTo =
  (
    write: WriteLine,
    { random = Math.random, share }: { readonly share: number; readonly random?: () => number }
  ): AccessLog =>
  (request, response) => {
    const { method = "", socket, url = "" } = request
    const [began, writtenBefore] = [performance.now(), socket.bytesWritten]
    attachNotes(request)
    response.once("close", () => {
      // The client disconnected before the answer.
      const status = response.headersSent ? response.statusCode : undefined
      if ((status ?? 0) < 500 && random() >= share) return
      const { account, key, requestId, route } = notesOf(request)
      const fields = {
        timestamp: new Date().toISOString(),
        level: "INFO",
        message: "request",
        requestId,
        method,
        path: pathOfRoute(route, url),
        // A truncated answer has its status too, so this marks that its end is missing.
        ...(response.writableFinished ? {} : { cut: "true" }),
        status,
        ms: Math.round((performance.now() - began) * 10) / 10,
        bytes: socket.bytesWritten - writtenBefore,
        account,
        key
      }
      write(
        Object.entries(fields)
          .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${shown(value)}`]))
          .join(" ")
      )
    })
  }
