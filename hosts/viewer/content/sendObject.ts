import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { OpenObject } from "../../../core/ports/ObjectStore.ts"
import { requestedRange } from "../../../core/rules/ranges.ts"
import { shownType } from "./contentType.ts"
import { attachmentAs, inlineAs } from "./disposition.ts"
import { isSavedAsPage } from "./fetchDestination.ts"

/** Options for sending an object. */
interface Sending {
  /** The requested range. */
  readonly range: ByteRange | undefined
  /** The file name for saving. */
  readonly name: string
  /** The purpose of the request, from `Sec-Fetch-Dest`. */
  readonly destination: string | undefined
  readonly validator?: string | undefined
  /** The content type and encoding, if they differ from the object's. */
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
}

/** The range that a request asks for. Only a GET can ask for one. */
export const rangeOf = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  validator?: string
): ByteRange | undefined => (method === "GET" ? requestedRange(headers, validator) : undefined)

/** An object, or the requested range of it. */
export const sendObject = (object: OpenObject, sending: Sending): HttpServerResponse.HttpServerResponse => {
  const { length, offset, sizeBytes, stream } = object
  const { contentEncoding = object.contentEncoding, destination, name, range, validator } = sending
  const contentType = sending.contentType ?? shownType(object.contentType, name)
  return HttpServerResponse.stream(stream, {
    status: range === undefined ? 200 : 206,
    contentType,
    contentLength: length,
    headers: {
      "accept-ranges": "bytes",
      "content-disposition": isSavedAsPage(contentType, destination) ? attachmentAs(name) : inlineAs(name),
      ...withoutUndefined({
        etag: validator,
        "content-encoding": contentEncoding,
        "content-range": range && `bytes ${offset}-${offset + length - 1}/${sizeBytes}`
      })
    }
  })
}
