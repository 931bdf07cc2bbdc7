import { Effect, Predicate, Redacted } from "effect"
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3"
import { md5 } from "@noble/hashes/legacy.js"
import * as Base64 from "effect/encoding/Base64"
import { isObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { OptionsUnusable, type S3Options } from "./options.ts"

const check = ({ endpoint, prefix = "" }: S3Options): Effect.Effect<void, OptionsUnusable> => {
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    return Effect.fail(
      new OptionsUnusable({ message: "The endpoint of the object store is not an http or https URL." })
    )
  }
  return prefix === "" || (prefix.endsWith("/") && isObjectKey(`${prefix}a`))
    ? Effect.void
    : Effect.fail(
        new OptionsUnusable({ message: "The prefix of the object store has to be segments such as slipway/." })
      )
}

/**
 * A connection may take 2 seconds, so three attempts at an unreachable store take a few seconds. The number of sockets
 * isn't limited, because each object that is being read holds one for as long as its reader needs. As much as the high-water
 * mark is read ahead of a reader.
 */
const connections = {
  connectionTimeout: 2000,
  throwOnRequestTimeout: true,
  httpAgent: { keepAlive: true, maxSockets: Infinity, highWaterMark: 512 * 1024 },
  httpsAgent: { keepAlive: true, maxSockets: Infinity, highWaterMark: 512 * 1024 }
}

const nothing = () => {}

/** The SDK would write warnings of interrupted uploads to the console. */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

const configOf = ({ credentials, endpoint, forcePathStyle, region }: S3Options): S3ClientConfig => ({
  ...withoutUndefined({
    region,
    endpoint,
    forcePathStyle,
    credentials: credentials && {
      accessKeyId: Redacted.value(credentials.accessKeyId),
      secretAccessKey: Redacted.value(credentials.secretAccessKey)
    }
  }),
  maxAttempts: 3,
  retryMode: "standard",
  // By default the SDK signs the checksum of an empty body into a presigned PUT, and older stores refuse the upload.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  requestHandler: connections,
  logger: silent
})

/**
 * Sends `Content-MD5` with deletions in place of the SDK's newer checksums. All stores support it, and some still
 * require it.
 */
const sendContentMd5 = (client: S3Client): void =>
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

const open = (options: S3Options) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const client = new S3Client(configOf(options))
      sendContentMd5(client)
      return client
    }),
    (client) => Effect.sync(() => client.destroy())
  )

/** A client of the store until the scope closes. It sends nothing yet. */
export const openClient = Effect.fnUntraced(function* (options: S3Options) {
  yield* check(options)
  const client = yield* open(options)
  const hasRegion = yield* Effect.tryPromise(() => client.config.region()).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
  if (hasRegion) return client
  if (options.endpoint !== undefined) return yield* open({ ...options, region: "us-east-1" })
  return yield* new OptionsUnusable({ message: "The object store has neither a region nor an endpoint." })
})
