import type { IncomingMessage, ServerResponse } from "node:http"
import { objectsPath } from "../../adapters/signed-urls/SignedUrls.ts"
import { closeSoon } from "../http/closeSoon.ts"
import { answerProblem, RequestTimeout } from "./nodeProblem.ts"

/** How long the bodies of requests may take to arrive, in milliseconds. */
export interface BodyTimeouts {
  /** A whole body, unless it is an upload. */
  readonly body: number
  /** The next {@link minUploadBytes} of an upload. */
  readonly upload: number
}

/**
 * The minimum that an upload has to send in each period. An upload may be large and its connection slow, so
 * only a client that sends less than this counts as disconnected or malicious.
 */
export const minUploadBytes = 1024

/** Answers 408, unless the answer has begun already, and closes the connection. */
const giveUp = (request: IncomingMessage, response: ServerResponse, detail: string): void => {
  if (response.headersSent) return void request.destroy()
  // After the answer Node doesn't end the request, so it is destroyed to reject the pending read of its body.
  request.socket.once("close", () => request.destroy())
  request.socket.destroySoon = () => closeSoon(request)
  answerProblem(request, response, new RequestTimeout({ detail }))
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const isUpload = ({ method, url = "" }: IncomingMessage): boolean => method === "PUT" && url.startsWith(objectsPath)

/**
 * Whether the server is waiting for the client, and not the client for the server: the body is being read, and everything
 * that came has been read.
 */
const isAwaited = ({ readableFlowing, readableLength }: IncomingMessage): boolean =>
  readableFlowing !== null && readableLength === 0

/**
 * Limits the time in which the body of a request has to arrive; after it, the answer is 408 and the connection is closed. A
 * PUT to a signed URL may take any time, as long as bytes keep coming. Every other body has to be complete in time, even if
 * the answer did not wait for it.
 */
export const enforceBodyTimeouts = (
  request: IncomingMessage,
  response: ServerResponse,
  timeouts: BodyTimeouts
): void => {
  if (!hasBody(request)) return
  const { socket } = request
  let seen = socket.bytesRead
  let awaited = false

  const isTooSlow = (): boolean => {
    const came = socket.bytesRead - seen
    seen = socket.bytesRead
    // Only if the server waited at both checks: bytes it began to wait for just now had no time to arrive.
    const wasAwaited = awaited
    awaited = isAwaited(request)
    return wasAwaited && awaited && came < minUploadBytes
  }
  const [everyMillis, isOver, detail] = isUpload(request)
    ? [timeouts.upload, isTooSlow, `Less than ${minUploadBytes} bytes arrived in ${timeouts.upload / 1000} seconds.`]
    : [timeouts.body, () => true, `The body was not complete after ${timeouts.body / 1000} seconds.`]

  const timer = setInterval(() => {
    const isArriving = !request.complete && !socket.destroyed
    if (isArriving && !isOver()) return
    clearInterval(timer)
    if (isArriving) giveUp(request, response, detail)
  }, everyMillis)
  timer.unref()
  request.once("close", () => clearInterval(timer))
}
