import type { S3Client } from "@aws-sdk/client-s3"
import { md5 } from "@noble/hashes/legacy.js"
import { Predicate } from "effect"
import * as Base64 from "effect/encoding/Base64"

/**
 * Sends `Content-MD5` with deletions in place of the SDK's newer checksums. All stores support it, and some still
 * require it.
 */
export const sendContentMd5 = (client: S3Client): void =>
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { request } = args
        if (
          commandName === "DeleteObjectsCommand" &&
          Predicate.hasProperty(request, "headers") &&
          Predicate.isObject(request.headers) &&
          Predicate.hasProperty(request, "body") &&
          Predicate.isString(request.body)
        ) {
          const kept = Object.entries(request.headers).filter(([name]) => !/^x-amz-(?:sdk-)?checksum-/i.test(name))
          const digest = Base64.encode(md5(new TextEncoder().encode(request.body)))
          request.headers = { ...Object.fromEntries(kept), "content-md5": digest }
        }
        return next(args)
      },
    { name: "slipwayContentMd5", step: "build", priority: "low" }
  )
