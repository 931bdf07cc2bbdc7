/** How an object is sent: its type, its name, its range and validator, and what a browser may do with it. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { OpenObject } from "../../../core/ports/ObjectStore.ts"
import { requestedRange } from "../../../core/rules/ranges.ts"

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

/** Content types by file name extension. */
const types: Readonly<Record<string, string>> = {
  avif: "image/avif",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  jsonl: "application/x-ndjson",
  log: "text/plain; charset=utf-8",
  m4a: "audio/mp4",
  map: "application/json",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp"
}

const saysNothing = /^(?:application|binary)\/octet-stream(?:;|$)/i

// MIME messages inside a message. A browser may apply their headers, even cookies, to the host.
const holdsMessages = /^(?:multipart|message)\/|^application\/(?:signed-exchange|webbundle)\b/i

/**
 * The content type with which an object is served: the declared one, or, if that only says "bytes", the type of the
 * file name's extension. A type that may contain MIME messages is served as bytes.
 */
export const shownType = (contentType: string, name: string): string => {
  if (holdsMessages.test(contentType)) return "application/octet-stream"
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return saysNothing.test(contentType) && Object.hasOwn(types, ending) ? (types[ending] ?? contentType) : contentType
}

// Characters that hide or reorder the rest of a name (controls, zero-width marks), or that have a meaning in file
// systems.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu

const longest = 150

/** The last segment of a name or path, safe for a file system and a header. If it is too long, its end is kept. */
const fileName = (path: string): string => {
  const characters = Array.from(path.slice(path.lastIndexOf("/") + 1).replaceAll(unsafe, "_"))
  const name = characters.slice(-longest).join("")
  return name.replaceAll(/^[\s.]+|[\s.]+$/gu, "") || "file"
}

const extended = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/** A name with non-ASCII characters is also sent as RFC 8187 specifies, for clients that support it. */
const named = (way: "inline" | "attachment", path: string): string => {
  const name = fileName(path)
  const plain = name.replaceAll(/[^\x20-\x7e]|%/gu, "_")
  return plain === name
    ? `${way}; filename="${plain}"`
    : `${way}; filename="${plain}"; filename*=UTF-8''${extended(name)}`
}

/** A `Content-Disposition` that shows the content, with a name for saving it. */
export const inlineAs = (path: string): string => named("inline", path)

/**
 * A `Content-Disposition` that saves the content if it would otherwise be opened as a page. It has no effect on content
 * that a page embeds.
 */
export const attachmentAs = (path: string): string => named("attachment", path)

/**
 * What a browser requests something for, from `Sec-Fetch-Dest`: `document` for a page, `iframe`, `image` and so on.
 * `undefined` if the header is missing: browsers omit it over plain HTTP, except to names of the local machine.
 */
export const fetchDestination = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined =>
  headers["sec-fetch-dest"]

/** Media and text: a page of such a type has a layout that only the browser decides. */
const plainTypes =
  /^(?:(?:audio|font|image|video)\/(?!.*\+xml)|text\/(?:css|csv|javascript|plain)(?:;|$)|application\/(?:(?:x-)?javascript|json|x-ndjson)(?:;|$))/i

/**
 * Whether an uploaded file must be saved instead of opened as a page, because it could imitate a page of the viewer:
 * HTML, XML, SVG, and every type not known to be harmless. Pages may embed it in any case.
 */
export const isSavedAsPage = (contentType: string, destination: string | undefined): boolean =>
  (destination === undefined || destination === "document") && !plainTypes.test(contentType)

/** Answers the preflight that a browser sends before some cross-origin `Range` requests. The answer reveals nothing. */
export const preflight = Effect.succeed(
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "range, if-range",
      "access-control-max-age": "86400"
    }
  })
)

/**
 * The strong validator (`ETag`) of an object, derived from its key. Hosted objects never change, so a key identifies
 * its bytes. The key is hashed so that the validator doesn't reveal it.
 */
export const validatorOf = (key: string): string => `"${Base64Url.encode(sha256(utf8ToBytes(key)).subarray(0, 16))}"`
