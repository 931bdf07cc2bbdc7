import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import Negotiator from "negotiator"
import { Assets } from "../ui/assets.ts"

let packed: Promise<Uint8Array> | undefined

const pack = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer())

/**
 * The script that runs a phone's own bundle: as gzip, which is made once, for who accepts that. It is the one large script
 * that no browser keeps, since each replay has it at a path of its own.
 */
export const phoneScript = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const text = `(() => {"use strict";${(yield* Assets).textOf("phone")}\n})()`
  const negotiator = new Negotiator({ headers: { "accept-encoding": headers["accept-encoding"] } })
  const isPacked = negotiator.encoding(["gzip", "identity"]) === "gzip"
  const body = isPacked ? yield* Effect.promise(() => (packed ??= pack(text))) : new TextEncoder().encode(text)
  return HttpServerResponse.uint8Array(body, {
    contentType: "text/javascript; charset=utf-8",
    headers: { vary: "accept-encoding", ...(isPacked ? { "content-encoding": "gzip" } : {}) }
  })
})
