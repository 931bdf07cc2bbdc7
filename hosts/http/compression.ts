/**
 * Compresses the answers of pages: HTML, scripts, stylesheets and JSON. Answers of the API and uploaded objects are sent as they are.
 *
 * A page has secrets, such as URLs that open its files, and repeats what its URL has, such as a search. A person who sees the length of
 * compressed answers and makes a browser load such URLs again and again can guess the secrets (BREACH). So what isn't public is compressed
 * only if another site can't have caused the request: the browser says that the page itself did (`Sec-Fetch-Site`), or that a person
 * followed a link (`Sec-Fetch-User`). An answer to a form, which may show a new key or link, is never compressed.
 */
import { Effect } from "effect"
import { HttpBody, HttpServerResponse, type HttpServerRequest } from "effect/http"
import Negotiator from "negotiator"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

type Encoding = "br" | "gzip"

const compressible = /^(?:text\/(?:html|css|javascript)|application\/json)\b/

/** Less isn't worth the time: it is one packet anyway. */
const minBytes = 1024

const [compressBrotli, compressGzip] = [promisify(brotliCompress), promisify(gzip)]

/** `quality` as of Brotli: 4 is as fast as gzip and smaller, 9 is for what is compressed once. */
const compress = async (bytes: Uint8Array, encoding: Encoding, quality: 4 | 9): Promise<Uint8Array> =>
  encoding === "br"
    ? compressBrotli(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength }
      })
    : compressGzip(bytes)

const cannotBeCausedByOthers = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "same-origin" ||
  headers["sec-fetch-site"] === "none" ||
  headers["sec-fetch-user"] === "?1"

/** What never changes, by its URL: its validator, and its compressed bytes. */
interface Unchanging {
  readonly etag: string
  readonly compressed: Partial<Record<Encoding, Promise<Uint8Array>>>
}

const maxUnchanging = 200

/** Answers to GET as they are sent. The scripts of pages, whose URLs have their digests, are compressed once, and revalidated by their `ETag`. */
export const makeCompression = () => {
  const unchanging = new Map<string, Unchanging>()

  const unchangingAt = (url: string, bytes: Uint8Array): Unchanging => {
    const found = unchanging.get(url)
    if (found !== undefined) return found
    if (unchanging.size >= maxUnchanging) unchanging.clear()
    const added = { etag: `W/"${hash("sha256", bytes, "base64url").slice(0, 22)}"`, compressed: {} }
    unchanging.set(url, added)
    return added
  }

  return (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const { body, headers, status } = response
    const contentType = headers["content-type"] ?? ""
    const isWhole = body._tag === "Uint8Array" && headers["content-encoding"] === undefined
    const isCompressible = isWhole && compressible.test(contentType) && body.contentLength >= minBytes
    if (status !== 200 || !isCompressible) return Effect.succeed(response)
    const cacheControl = headers["cache-control"] ?? ""
    const same = cacheControl.includes("immutable") ? unchangingAt(request.url, body.body) : undefined
    const own = { vary: "accept-encoding", ...(same === undefined ? {} : { etag: same.etag }) }
    if (same !== undefined && request.headers["if-none-match"]?.includes(same.etag) === true) {
      const { "content-length": _length, "content-type": _type, ...others } = headers
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { ...others, ...own } }))
    }
    const negotiator = new Negotiator({ headers: { "accept-encoding": request.headers["accept-encoding"] } })
    const accepted = negotiator.encodings(["br", "gzip"])
    const encoding = (["br", "gzip"] as const).find((one) => accepted.includes(one))
    const plain = HttpServerResponse.setHeaders(response, own)
    if (encoding === undefined) return Effect.succeed(plain)
    if (!cacheControl.startsWith("public") && !cannotBeCausedByOthers(request)) return Effect.succeed(plain)
    const compressed =
      same === undefined
        ? compress(body.body, encoding, 4)
        : (same.compressed[encoding] ??= compress(body.body, encoding, 9))
    return Effect.map(
      Effect.promise(() => compressed),
      (bytes) =>
        HttpServerResponse.setHeader(
          HttpServerResponse.setBody(plain, HttpBody.uint8Array(bytes, contentType)),
          "content-encoding",
          encoding
        )
    )
  }
}
