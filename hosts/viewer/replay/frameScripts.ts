import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import Negotiator from "negotiator"
import { Assets } from "../ui/assets.ts"
import { frameScriptUrl, type FrameScript } from "./frameScriptUrl.ts"

const names: ReadonlyArray<FrameScript> = [
  "phone",
  "memoryDatabase",
  "sqlite",
  "lottie",
  "recordedAnswers",
  "flows",
  "inspector"
]

/** Which of the scripts a URL asks for. */
export const frameScriptAt = (url: string): FrameScript | undefined =>
  names.find((name) => url.endsWith(frameScriptUrl(name).slice(1)))

const packed = new Map<FrameScript, Promise<Uint8Array>>()

const pack = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer())

/**
 * One of the scripts: as gzip, which is made once, for who accepts that. These are the large scripts that no browser keeps,
 * since each replay has them at a path of its own.
 */
export const sendFrameScript = Effect.fnUntraced(function* (name: FrameScript) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const text = `(() => {"use strict";${(yield* Assets).textOf(name)}\n})()`
  const negotiator = new Negotiator({ headers: { "accept-encoding": headers["accept-encoding"] } })
  const isPacked = negotiator.encoding(["gzip", "identity"]) === "gzip"
  if (isPacked && !packed.has(name)) packed.set(name, pack(text))
  const body =
    (isPacked ? yield* Effect.promise(async () => packed.get(name)) : undefined) ?? new TextEncoder().encode(text)
  return HttpServerResponse.uint8Array(body, {
    contentType: "text/javascript; charset=utf-8",
    headers: { vary: "accept-encoding", ...(isPacked ? { "content-encoding": "gzip" } : {}) }
  })
})
