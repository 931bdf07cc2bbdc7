import { HttpServerResponse } from "effect/http"
import type { OpenObject } from "../../core/ports/ObjectStore.ts"

/** An object, or the range of it that was asked for, under the content type and encoding that it has. */
export const sendObject = (
  object: OpenObject,
  isRange: boolean,
  {
    contentEncoding,
    contentType
  }: { readonly contentType: string; readonly contentEncoding?: string | undefined } = object
): HttpServerResponse.HttpServerResponse => {
  const { length, offset, sizeBytes, stream } = object
  return HttpServerResponse.stream(stream, {
    status: isRange ? 206 : 200,
    contentType,
    contentLength: length,
    headers: {
      "accept-ranges": "bytes",
      ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
      ...(isRange ? { "content-range": `bytes ${offset}-${offset + length - 1}/${sizeBytes}` } : {})
    }
  })
}
