/** Whether a store obeys headers that a presigned URL wasn't signed for. */
import { GetObjectAclCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { DateTime, Effect, Equal } from "effect"
import { ObjectKey } from "../../core/model/HostedObject.ts"
import { attempt, encodePath, noResponse, shortTimeouts, StoreFault, type BucketLocation } from "./attempt.ts"
import { makeSigning, signable } from "./presigning.ts"
import { removeObjects } from "./objects.ts"

const contentType = "text/plain"
const utf8 = (text: string) => new TextEncoder().encode(text)
/** What the headers would copy. Nothing else in the bucket is touched. */
const source = utf8("slipway probe: the source\n")
/** What a PUT sends: as many other bytes. */
const sent = utf8("slipway probe: the upload\n")

/**
 * The headers that are tried: one copies another object, and one publishes the object. Some stores, such as Ceph, also obey the
 * spellings with underscores, which a proxy in front of them may not know.
 */
export const triedHeaders = ["x-amz-copy-source", "x_amz_copy_source", "x-amz-acl", "x_amz_acl"] as const
export type TriedHeader = (typeof triedHeaders)[number]

/** What clients can do at a store that obeys them. */
export const obeyedDetail = (headers: ReadonlyArray<TriedHeader>): string =>
  `the S3 server obeys headers that a PUT URL wasn't signed for (${headers.join(", ")}): a client with such a URL can copy or publish any object that the credentials can read, of any size`

const isCopy = (header: TriedHeader): boolean => header.endsWith("source")

/** The bytes of an object; `undefined` if they can't be read. */
const bytesOf = ({ bucket, client, prefix }: BucketLocation, key: string) =>
  attempt("GetObject", shortTimeouts, async (options) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + key }), options)
    return Body?.transformToByteArray()
  }).pipe(Effect.orElseSucceed(() => undefined))

/** Whether nobody but its owner has a grant on an object; `false` if that is unknown. */
const isPrivate = ({ bucket, client, prefix }: BucketLocation, key: string) =>
  attempt("GetObjectAcl", shortTimeouts, (options) =>
    client.send(new GetObjectAclCommand({ Bucket: bucket, Key: prefix + key }), options)
  ).pipe(
    Effect.map(({ Grants, Owner }) =>
      Grants?.every(({ Grantee }) => Grantee?.ID !== undefined && Grantee.ID === Owner?.ID)
    ),
    Effect.map((answer) => answer === true),
    Effect.orElseSucceed(() => false)
  )

const statusOf = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.tryPromise((signal) =>
    fetch(url, { method: "PUT", headers: { ...headers, "content-type": contentType }, body: sent, signal }).then(
      async ({ body, status }) => {
        await body?.cancel()
        return status
      }
    )
  ).pipe(
    Effect.timeout(shortTimeouts.whole),
    Effect.mapError(() => noResponse("PutObject", shortTimeouts.whole))
  )

/** The statuses of a store that refuses a header, or knows none of its function. */
const refusals = new Set([400, 401, 403, 405, 501])

/**
 * PUTs with each of these headers, below a folder of its own, and answers those that the store obeys. A PUT that was accepted counts
 * as obeyed, unless what is stored shows that the header was ignored, as by a proxy that removes it. Any other answer of the store
 * is a fault, because nothing is known then. All objects are deleted at the end; a store that deletes nothing for these credentials is a fault
 * before anything is stored.
 */
export const findObeyedHeaders = Effect.fnUntraced(function* (
  location: BucketLocation
): Effect.fn.Return<ReadonlyArray<TriedHeader>, StoreFault> {
  const { bucket, client, prefix } = location
  const folder = `doctor/${crypto.randomUUID()}/`
  const sourceKey = `${folder}source`
  const targets = triedHeaders.map((header) => ({ header, key: ObjectKey.make(folder + header) }))
  const tidy = removeObjects(location, [sourceKey, ...targets.map(({ key }) => key)])
  const now = yield* DateTime.now
  const expiresAt = DateTime.add(now, { minutes: 5 })
  const sign = makeSigning(location)

  const isObeyed = Effect.fnUntraced(function* ({ header, key }: (typeof targets)[number]) {
    const request = { method: "PUT" as const, key, contentType, sizeBytes: sent.byteLength, expiresAt }
    const [url = ""] = yield* attempt("sign", shortTimeouts, () => sign([signable(request, now)]))
    const value = isCopy(header) ? encodePath(`${bucket}/${prefix}${sourceKey}`) : "public-read"
    const status = yield* statusOf(url, { [header]: value })
    if (refusals.has(status)) return false
    // The source exists: only a store that looked for it elsewhere can miss it.
    if (status === 404) return true
    if (status < 200 || status > 299) {
      return yield* new StoreFault({ call: `PutObject with ${header}`, name: String(status), status, detail: "" })
    }
    return !Equal.equals(yield* bytesOf(location, key), sent) || (!isCopy(header) && !(yield* isPrivate(location, key)))
  })

  return yield* Effect.gen(function* () {
    yield* tidy
    yield* attempt("PutObject", shortTimeouts, (options) =>
      client.send(
        new PutObjectCommand({ Bucket: bucket, Key: prefix + sourceKey, Body: source, ContentType: contentType }),
        options
      )
    )
    const tried = yield* Effect.forEach(
      targets,
      (target) => Effect.map(isObeyed(target), (obeyed) => ({ ...target, obeyed })),
      {
        concurrency: "unbounded"
      }
    )
    return tried.filter(({ obeyed }) => obeyed).map(({ header }) => header)
  }).pipe(Effect.ensuring(Effect.ignore(tidy)))
})
