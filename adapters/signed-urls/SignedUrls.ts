import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, DateTime, Layer, Redacted, Result } from "effect"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Base64Url from "effect/encoding/Base64Url"
import { UrlRefused } from "../../core/model/Problem.ts"
import type { GetRequest, PutRequest } from "../../core/ports/ObjectStore.ts"

/** What a valid URL allows. */
export type Grant =
  | { readonly method: "GET"; readonly key: string }
  | { readonly method: "PUT"; readonly key: string; readonly contentType: string; readonly sizeBytes: number }

/** The path below which signed URLs lie; the object's key follows. */
export const objectsPath = "/objects/"

const refused = (detail: string) => Result.fail(new UrlRefused({ detail }))

/**
 * Signs URLs for stores that have none of their own, with HMAC-SHA256 over method, key, expiry, content type and exact
 * length.
 *
 * - `put` and `get` answer a URL. `verify` answers what a request's URL allows at `now`, or `UrlRefused`.
 */
export class SignedUrls extends Context.Service<
  SignedUrls,
  {
    readonly put: (request: PutRequest) => string
    readonly get: (request: GetRequest) => string
    readonly verify: (method: string, url: URL, now: DateTime.Utc) => Result.Result<Grant, UrlRefused>
  }
>()("slipway/adapters/signed-urls/SignedUrls") {
  /**
   * `baseUrl` is where the host that mounts {@link routes} is reached from outside; it is asked for with every URL.
   * Every host of a deployment needs the same `secret`.
   */
  static readonly make = (options: {
    readonly secret: Redacted.Redacted
    readonly baseUrl: () => string
  }): SignedUrls["Service"] => {
    const secret = utf8ToBytes(Redacted.value(options.secret))
    const sign = (...parts: ReadonlyArray<string>): Uint8Array => hmac(sha256, secret, utf8ToBytes(parts.join("\n")))
    const url = (key: string, query: Record<string, string>, signature: Uint8Array): string =>
      `${options.baseUrl()}${objectsPath}${key}?${new URLSearchParams({
        ...query,
        signature: Base64Url.encode(signature)
      }).toString()}`

    return SignedUrls.of({
      put: ({ contentType, expiresAt, key, sizeBytes }) => {
        const expires = String(DateTime.toEpochMillis(expiresAt))
        const length = String(sizeBytes)
        const signature = sign("PUT", key, expires, contentType, length)
        return url(key, { expires, type: contentType, length }, signature)
      },
      get: ({ expiresAt, key }) => {
        const expires = String(DateTime.toEpochMillis(expiresAt))
        return url(key, { expires }, sign("GET", key, expires))
      },
      verify: (method, { pathname, searchParams }, now) => {
        const key = pathname.slice(pathname.indexOf(objectsPath) + objectsPath.length)
        const expires = searchParams.get("expires") ?? ""
        const type = searchParams.get("type") ?? ""
        const length = searchParams.get("length") ?? ""
        const signature = Base64Url.decode(searchParams.get("signature") ?? "")
        const expected = method === "PUT" ? sign("PUT", key, expires, type, length) : sign("GET", key, expires)
        if (Result.isFailure(signature) || !timingSafeEqual(signature.success, expected)) {
          return refused("The signature of this URL does not fit the request.")
        }
        if (Number(expires) <= DateTime.toEpochMillis(now)) return refused("This URL is past its time.")
        return Result.succeed(
          method === "PUT"
            ? { method: "PUT", key, contentType: type, sizeBytes: Number(length) }
            : { method: "GET", key }
        )
      }
    })
  }

  static readonly layer = (options: { readonly secret: Redacted.Redacted; readonly baseUrl: string }) =>
    Layer.succeed(SignedUrls, SignedUrls.make({ ...options, baseUrl: () => options.baseUrl }))
}
