import { HeadObjectCommand } from "@aws-sdk/client-s3"
import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { Examined } from "../../core/ports/ObjectStore.ts"
import { isGzip } from "../../core/rules/verification.ts"
import { attempt, shortTimeouts, type StoreFault } from "./attempt.ts"
import type { BucketLocation } from "./bucketLocation.ts"

/** A checksum of S3's in hex. That of an object in parts, which is a checksum of checksums, has a number behind it and is none. */
const hexOf = (checksum: string | undefined): string | undefined => {
  const bytes = Base64.decode(checksum ?? "")
  return Result.isSuccess(bytes) && bytes.success.byteLength === 32 ? Hex.encode(bytes.success) : undefined
}

/** What the store itself says of an object and its SHA-256; `undefined` where it keeps none, and for gzip. */
export const examineByChecksum = (
  { bucket, client, prefix }: BucketLocation,
  key: ObjectKey
): Effect.Effect<Examined | undefined, StoreFault> =>
  attempt("HeadObject", shortTimeouts, (options) =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key, ChecksumMode: "ENABLED" }), options)
  ).pipe(
    Effect.map(({ ChecksumSHA256, ChecksumType, ContentEncoding, ContentLength, ContentType }) => {
      const contentHash = ChecksumType === "COMPOSITE" ? undefined : hexOf(ChecksumSHA256)
      if (contentHash === undefined || ContentLength === undefined) return undefined
      if (isGzip(ContentType, ContentEncoding)) return undefined
      const facts = withoutUndefined({ contentType: ContentType, contentEncoding: ContentEncoding })
      return { ...facts, sizeBytes: ContentLength, contentHash }
    })
  )
