import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { Cookies, Headers, HttpEffect, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpNetwork } from "effect/net"
import { ServerResponse } from "node:http"
import { eachChunkOf, type EachChunk, fileOfStream } from "../../core/ports/HostServices.ts"
import { canonicalAddress } from "../http/requestContext.ts"

const write = (answer: ServerResponse, chunk: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    answer.write(chunk, () => {
      // A request whose client disconnected is interrupted, so nothing follows.
      if (!answer.destroyed) resume(Effect.void)
    })
  })

const send = <E>(answer: ServerResponse, response: HttpServerResponse.HttpServerResponse, eachChunk: EachChunk<E>) =>
  Effect.suspend(() => {
    answer.strictContentLength = true
    answer.writeHead(response.status, response.headers)
    return eachChunk((chunk) => write(answer, chunk))
  }).pipe(
    // Around it nothing is interrupted any more.
    Effect.interruptible,
    Effect.andThen(Effect.sync(() => void answer.end())),
    // The client has the beginning already, so nothing but the end of the connection tells it that there is no more.
    Effect.onError(() => Effect.sync(() => void answer.destroy())),
    Effect.ignore
  )

/** Writes a body that can be read by chunks, and leaves every other one to the framework, which writes none that is ended. */
const sendChunks = (request: HttpServerRequest.HttpServerRequest, response: HttpServerResponse.HttpServerResponse) => {
  const { body, cookies, status } = response
  const eachChunk = body._tag === "Stream" ? eachChunkOf(body.stream) : undefined
  const answer = NodeHttpServerRequest.toServerResponse(request)
  const { "content-length": length, "transfer-encoding": coding } = request.headers
  const isUsual =
    request.method === "GET" &&
    length === undefined &&
    coding === undefined &&
    (status === 200 || status === 206) &&
    Cookies.isEmpty(cookies) &&
    answer instanceof ServerResponse &&
    !answer.destroyed
  return eachChunk === undefined || !isUsual
    ? Effect.succeed(response)
    : Effect.as(send(answer, response, eachChunk), response)
}

/** The path below which a proxy has the folder of objects. Only answers of the host lead to it. */
export const filesPath = "/slipway-files/"

/**
 * The header by which a proxy says that it obeys `X-Accel-Redirect`. Only trusted proxies count: anyone else would get an answer
 * without bytes.
 */
const sendfileType = "x-sendfile-type"

/** In the answer to a probe: whether its sender gets `X-Accel-Redirect`, `on` or `off`. `slipway doctor` reads it behind the proxy. */
export const sendfileHeader = "x-slipway-sendfile"

const isBehindProxy = (
  { headers, peerAddress }: HttpServerRequest.HttpServerRequest,
  trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
): boolean => {
  if (headers[sendfileType]?.toLowerCase() !== "x-accel-redirect") return false
  const peer = canonicalAddress(peerAddress)
  return peer !== undefined && trustedProxies.some((network) => IpNetwork.contains(network, peer))
}

/**
 * Whether a proxy may send a file in place of this answer. It answers one range as the host does, but not other ranges or conditions, and
 * Caddy sends no length of encoded content.
 */
const isSimple = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): boolean =>
  method === "GET" &&
  response.status === (headers["range"] === undefined ? 200 : 206) &&
  response.headers["content-encoding"] === undefined &&
  !Object.keys(headers).some((name) => name.startsWith("if-"))

/** An answer whose bytes the proxy sends, with its headers. The proxy adds those of the range; nginx adds `Accept-Ranges` to a whole file only. */
const redirected = ({ headers, status }: HttpServerResponse.HttpServerResponse, file: string) =>
  HttpServerResponse.empty({
    status: 200,
    headers: {
      ...Headers.removeMany(headers, ["content-length", "content-range", ...(status === 200 ? ["accept-ranges"] : [])]),
      "x-accel-redirect": filesPath + encodeURI(file)
    }
  })

/**
 * Sends objects in the chunks in which their engine reads them, without a stream step and a new buffer for each. With `sendfile`, those that
 * are alone in a file are sent by the trusted proxy that asks for it.
 */
export const layer = (options: {
  readonly sendfile: boolean
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
}) => {
  const { sendfile, trustedProxies } = options
  const redirect = (request: HttpServerRequest.HttpServerRequest, response: HttpServerResponse.HttpServerResponse) => {
    if (request.url === "/healthz") {
      const isOn = isBehindProxy(request, trustedProxies)
      return Effect.succeed(HttpServerResponse.setHeader(response, sendfileHeader, isOn ? "on" : "off"))
    }
    const { body } = response
    const file = body._tag === "Stream" ? fileOfStream(body.stream) : undefined
    return file !== undefined && isSimple(request, response) && isBehindProxy(request, trustedProxies)
      ? Effect.succeed(redirected(response, file))
      : sendChunks(request, response)
  }
  const send = sendfile ? redirect : sendChunks
  return HttpRouter.middleware((app) => Effect.tap(app, () => HttpEffect.appendPreResponseHandler(send)), {
    global: true
  })
}
