import type { IncomingMessage, ServerResponse } from "node:http"
import { objectsPath } from "../../adapters/signed-urls/SignedUrls.ts"
import { answerProblem, RequestTimeout } from "./nodeProblem.ts"

/** How long the bodies of requests may take to arrive, in milliseconds. */
export interface ArrivalTimes {
  /** A whole body, unless it is an upload. */
  readonly body: number
  /** The next {@link leastUploadBytes} of an upload. */
  readonly upload: number
}

/**
 * An upload may be as large as a store takes and its line as slow as a modem's, so only what brings less than this in
 * each stretch of time is taken for a client that is gone or means no good.
 */
export const leastUploadBytes = 1024

/** Says 408 as far as the answer hasn't begun, and closes the connection. */
const giveUp = (request: IncomingMessage, response: ServerResponse, detail: string): void => {
  if (response.headersSent) return void request.destroy()
  // Node forgets the request with its answer: whoever waits for the body is told here.
  request.socket.once("close", () => request.destroy())
  answerProblem(request, response, new RequestTimeout({ detail }))
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const isUpload = ({ method, url = "" }: IncomingMessage): boolean => method === "PUT" && url.startsWith(objectsPath)

/**
 * Whether the server waits for the client, and not the client for the server: someone reads the body, and has read all
 * that came.
 */
const isAwaited = ({ readableFlowing, readableLength }: IncomingMessage): boolean =>
  readableFlowing !== null && readableLength === 0

/**
 * Bounds the time that the body of a request takes: 408 and a closed connection after it. A PUT to a signed URL may take
 * any time, as long as it goes on; every other body has to be whole in time, also one that its answer didn't wait for.
 */
export const boundArrival = (request: IncomingMessage, response: ServerResponse, times: ArrivalTimes): void => {
  if (!hasBody(request)) return
  const { socket } = request
  let seen = socket.bytesRead
  let awaited = false

  const isTooSlow = (): boolean => {
    const came = socket.bytesRead - seen
    seen = socket.bytesRead
    // Both times: what the server waits for only since a moment ago couldn't come yet.
    const wasAwaited = awaited
    awaited = isAwaited(request)
    return wasAwaited && awaited && came < leastUploadBytes
  }
  const [everyMillis, isOver, detail] = isUpload(request)
    ? [times.upload, isTooSlow, `Less than ${leastUploadBytes} bytes came in ${times.upload / 1000} seconds.`]
    : [times.body, () => true, `The body was not whole after ${times.body / 1000} seconds.`]

  const timer = setInterval(() => {
    const isArriving = !request.complete && !socket.destroyed
    if (isArriving && !isOver()) return
    clearInterval(timer)
    if (isArriving) giveUp(request, response, detail)
  }, everyMillis)
  timer.unref()
  request.once("close", () => clearInterval(timer))
}
