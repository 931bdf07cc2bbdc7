import { GetObjectCommand } from "@aws-sdk/client-s3"
import { getSignedUrl, S3RequestPresigner } from "@aws-sdk/s3-request-presigner"
import { DateTime } from "effect"
import type { PresignGet, PresignPut } from "../object-store/ObjectDriver.ts"
import { encode, encodePath, type BucketLocation } from "./attempt.ts"

const longestSeconds = 7 * 24 * 60 * 60

/**
 * The signing time and the lifetime in seconds that make a URL end at `expiresAt`; S3 counts whole seconds. A URL that
 * has already expired is signed with a time before its end. S3 allows at most 7 days.
 */
const lifeOf = (now: DateTime.Utc, expiresAt: DateTime.Utc) => {
  const end = Math.floor(DateTime.toEpochMillis(expiresAt) / 1000)
  const begin = Math.min(Math.floor(DateTime.toEpochMillis(now) / 1000), end - 1)
  if (end - begin > longestSeconds) throw new RangeError("S3 signs no URL for more than 7 days")
  return { signingDate: new Date(begin * 1000), expiresIn: end - begin }
}

/** A request to sign. Its headers are signed too, so it can't be sent with other values of them. */
interface Signable {
  readonly request: PresignGet | PresignPut
  readonly headers: Readonly<Record<string, string>>
  readonly signingDate: Date
  readonly expiresIn: number
}

/** Signs a request at `now`, or at the time that it names. A lifetime that S3 doesn't allow is a defect of the caller. */
export const signable = (request: PresignGet | PresignPut, now: DateTime.Utc): Signable => ({
  request,
  headers:
    request.method === "GET"
      ? {}
      : { "content-type": request.contentType, "content-length": String(request.sizeBytes) },
  ...lifeOf((request.method === "PUT" ? request.signedAt : undefined) ?? now, request.expiresAt)
})

/** The address of a bucket's objects, and the region to sign for. */
interface Address {
  readonly base: URL
  readonly region: string
}

/** Reads the address from a URL that the SDK makes, because it depends on many settings and rules. */
const addressOf = async ({ bucket, client }: BucketLocation): Promise<Address> => {
  const url = new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: "key" })))
  const region = url.searchParams.get("X-Amz-Credential")?.split("/").at(-3)
  if (region === undefined) throw new TypeError("the SDK signed for no region")
  return { base: new URL(url.pathname.slice(0, -"key".length), url), region }
}

/** Signs URLs of a bucket, each batch with the SDK's current credentials. */
export const makeSigning = (location: BucketLocation) => {
  let address: Address | undefined

  return async (requests: ReadonlyArray<Signable>): Promise<ReadonlyArray<string>> => {
    const { base, region } = (address ??= await addressOf(location))
    const { credentials, sha256 } = location.client.config
    const presigner = new S3RequestPresigner({ credentials: await credentials(), region, sha256 })

    const urlOf = async ({ headers, request: { key, method }, ...life }: Signable) => {
      const { protocol, hostname, host } = base
      const target = base.pathname + encodePath(location.prefix + key)
      const { path, query } = await presigner.presign(
        { method, protocol, hostname, path: target, headers: { ...headers, host }, query: {} },
        // The presigner leaves the content type unsigned by default.
        { ...life, signableHeaders: new Set(["host", ...Object.keys(headers)]) }
      )
      const search = Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
      return `${base.origin}${path}?${search.join("&")}`
    }
    return Promise.all(requests.map(urlOf))
  }
}
