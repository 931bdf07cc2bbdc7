import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Data, DateTime, type Effect, Layer, Result, type Stream } from "effect"
import { timingSafeEqual } from "effect/crypto/Mac"
import { createHmac } from "node:crypto"
import { type InsufficientStorage, type Unavailable, UrlRefused } from "../../core/model/Problem.ts"
import { secretTexts, type SigningSecret } from "../../core/model/SigningSecret.ts"
import type { GetRequest, PutRequest } from "../../core/ports/ObjectStore.ts"
import type { StreamDigest } from "../../core/service/contentDigest.ts"

export interface GetGrant {
  readonly method: "GET"
  readonly key: string
}

export interface PutGrant {
  readonly method: "PUT"
  readonly key: string
  readonly contentType: string
  readonly sizeBytes: number
}

/** The path below which signed URLs lie, followed by the object's key. */
export const objectsPath = "/objects/"

const refused = (detail: string) => Result.fail(new UrlRefused({ detail }))
const mismatch = refused("The signature of this URL does not fit the request.")

/** The signed fields of each method's URL, in the order of the query. */
const signedFields = { GET: ["expires"], PUT: ["expires", "type", "length"] } as const

/**
 * Signs URLs with HMAC-SHA256 over the method, key, expiry, content type and exact length, for stores without presigned
 * URLs of their own.
 *
 * - `put` and `get` answer a URL. The key must be valid.
 * - `verify` answers what a URL allows at `now`, or `UrlRefused`. `target` is the path and query as the mounted routes
 *   see them, without a prefix that a proxy removed. Another method, an additional or missing parameter and another
 *   spelling of the key are refused too.
 */
export class SignedUrls extends Context.Service<
  SignedUrls,
  {
    readonly put: (request: PutRequest) => string
    readonly get: (request: GetRequest) => string
    readonly verify: (
      method: string,
      target: string,
      now: DateTime.Utc
    ) => Result.Result<GetGrant | PutGrant, UrlRefused>
  }
>()("slipway/adapters/signed-urls/SignedUrls") {
  /**
   * `baseUrl` is the address of the host that mounts {@link routes}, as clients see it; it is read for every URL.
   * Every host of a deployment needs the same `secret`; what any of several signed is accepted.
   */
  static readonly make = (options: {
    readonly secret: SigningSecret
    readonly baseUrl: () => string
  }): SignedUrls["Service"] => {
    const secrets = secretTexts(options.secret)
    const sign = (method: "GET" | "PUT", key: string, values: ReadonlyArray<string>, secret = secrets[0]): string =>
      createHmac("sha256", secret)
        .update(JSON.stringify([method, key, ...values]))
        .digest("base64url")

    const url = (method: "GET" | "PUT", key: string, values: ReadonlyArray<string>): string => {
      const query = new URLSearchParams(signedFields[method].map((field, index) => [field, values[index] ?? ""]))
      query.set("signature", sign(method, key, values))
      return `${options.baseUrl().replace(/\/$/, "")}${objectsPath}${key}?${query}`
    }
    const millis = (time: DateTime.Utc): string => String(DateTime.toEpochMillis(time))

    return SignedUrls.of({
      put: ({ contentType, expiresAt, key, sizeBytes }) =>
        url("PUT", key, [millis(expiresAt), contentType, String(sizeBytes)]),
      get: ({ expiresAt, key }) => url("GET", key, [millis(expiresAt)]),
      verify: (method, target, now) => {
        const [, path = "", search = ""] = /^([^?]*)\??(.*)$/s.exec(target) ?? []
        if ((method !== "GET" && method !== "PUT") || !path.startsWith(objectsPath)) return mismatch
        const key = path.slice(objectsPath.length)
        const query = new URLSearchParams(search)
        const values = signedFields[method].map((field) => query.get(field) ?? "")
        const signature = utf8ToBytes(query.get("signature") ?? "")
        const isSigned = secrets.some((secret) =>
          timingSafeEqual(signature, utf8ToBytes(sign(method, key, values, secret)))
        )
        if (query.size !== values.length + 1 || !isSigned) return mismatch
        const [expires, contentType = "", length] = values
        if (Number(expires) <= DateTime.toEpochMillis(now)) return refused("This URL is past its time.")
        return Result.succeed(
          method === "GET" ? { method, key } : { method, key, contentType, sizeBytes: Number(length) }
        )
      }
    })
  }

  static readonly layer = (options: { readonly secret: SigningSecret; readonly baseUrl: string }) =>
    Layer.succeed(SignedUrls, SignedUrls.make({ ...options, baseUrl: () => options.baseUrl }))
}

/** The stream held more or fewer bytes than announced. */
export class WrongLength extends Data.TaggedError("WrongLength") {}

/** An object about to be received. */
export interface IncomingObject {
  readonly key: string
  readonly contentType: string
  readonly contentEncoding?: string
  readonly sizeBytes: number
}

/**
 * Where the PUT route stores what it receives.
 *
 * `receive` stores exactly `sizeBytes` bytes under the key and replaces what is there, completely or not at all. When
 * the stream fails, is interrupted, has another length (`WrongLength`) or finds no room (`InsufficientStorage`),
 * nothing is stored and the earlier object stays. It reads at most one chunk beyond the announced length. The bytes
 * also go through `digest`, whose result is kept with the object as its `contentHash`; without `digest` there is none.
 */
export class ObjectSink extends Context.Service<
  ObjectSink,
  {
    readonly receive: <E>(
      object: IncomingObject,
      bytes: Stream.Stream<Uint8Array, E>,
      digest?: StreamDigest
    ) => Effect.Effect<void, E | WrongLength | InsufficientStorage | Unavailable>
    /** The store keeps no digests, so none needs to be computed. */
    readonly keepsNoDigest?: true
  }
>()("slipway/adapters/signed-urls/ObjectSink") {}
