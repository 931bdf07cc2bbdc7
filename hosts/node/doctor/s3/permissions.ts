import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { Effect, Result } from "effect"
import { attempt, StoreFault, type SendOptions } from "../../../../adapters/s3/attempt.ts"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { fine, wrong, type Finding } from "../parts/Finding.ts"
import { s3Fault } from "../../engineErrors/s3Fault.ts"
import { listOne, probeTimeouts } from "../../engineErrors/reachBucket.ts"

/** A call of S3 that a host makes, and the name of its permission. */
interface Use {
  readonly action: string
  readonly call: Effect.Effect<unknown, StoreFault>
}

const isDenied = ({ name, status }: StoreFault): boolean => name === "AccessDenied" || status === 403

/** Errors that don't mean a missing permission: there is no such object, or it differs from what was announced. */
const isTaken = ({ name, status }: StoreFault): boolean => status === 404 || name === "BadDigest"

/** An MD5 that no sent content has: a store refuses such a PUT and stores nothing, even if the PUT is permitted. */
const noDigest = "AAAAAAAAAAAAAAAAAAAAAA=="

const denial = (call: string) => new StoreFault({ call, name: "AccessDenied", status: 403, detail: "" })

const usesOf = (client: S3Client, settings: S3Settings, prefix: string) => {
  const Bucket = settings.bucket
  const [Key, copy] = [`${settings.prefix ?? ""}${prefix}put`, `${settings.prefix ?? ""}${prefix}copied`]
  const use = (action: string, name: string, send: (options: SendOptions) => Promise<unknown>): Use => ({
    action,
    call: attempt(name, probeTimeouts, send)
  })
  const remove: Use = {
    action: "s3:DeleteObject",
    // A batch delete is answered 200 even if S3 refused to delete some objects; the body lists them.
    call: attempt("DeleteObjects", probeTimeouts, (options) =>
      client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }, { Key: copy }] } }), options)
    ).pipe(
      Effect.flatMap(({ Errors = [] }) =>
        Errors.some(({ Code }) => Code === "AccessDenied") ? Effect.fail(denial("DeleteObjects")) : Effect.void
      )
    )
  }
  return {
    list: { action: "s3:ListBucket", call: listOne(client, settings) } satisfies Use,
    remove,
    put: use("s3:PutObject", "PutObject", (options) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body: "slipway doctor", ContentType: "text/plain" }), options)
    ),
    putNothing: use("s3:PutObject", "PutObject", (options) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body: "slipway doctor", ContentMD5: noDigest }), options)
    ),
    get: use("s3:GetObject", "GetObject", async (options) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), options)
      await Body?.transformToByteArray()
    }),
    copy: use("CopyObject", "CopyObject", (options) =>
      client.send(new CopyObjectCommand({ Bucket, Key: copy, CopySource: `${Bucket}/${Key}` }), options)
    )
  }
}

/**
 * Tries every call that a host makes, below a prefix of its own, and names those that are not allowed. Nothing is stored
 * by somebody who may not delete it again.
 */
export const permissionsFinding = Effect.fnUntraced(function* (
  name: string,
  client: S3Client,
  settings: S3Settings,
  prefix: string
): Effect.fn.Return<Finding> {
  const { copy, get, list, put, putNothing, remove } = usesOf(client, settings, prefix)
  const denied: Array<string> = []
  const isAllowed = Effect.fnUntraced(function* ({ action, call }: Use) {
    const result = yield* Effect.result(call)
    if (Result.isSuccess(result) || isTaken(result.failure)) return true
    if (!isDenied(result.failure)) return yield* result.failure
    denied.push(action)
    return false
  })
  const all = Effect.gen(function* () {
    const mayList = yield* isAllowed(list)
    if (!(yield* isAllowed(remove))) {
      yield* isAllowed(putNothing)
      if (mayList) yield* isAllowed(get)
      return
    }
    const stored = yield* isAllowed(put)
    // For a user who may neither list nor put, S3 answers "access denied" instead of "missing".
    const mayGet = (stored || mayList) && (yield* isAllowed(get))
    if (stored && mayGet) yield* isAllowed(copy)
    if (stored) yield* isAllowed(remove)
  })
  const tried = yield* Effect.result(all)
  if (Result.isFailure(tried)) return wrong(name, s3Fault(tried.failure, settings))
  if (denied.length === 0) return fine(name, "may list, get, put, copy and delete")
  const { bucket } = settings
  return wrong(name, {
    detail: `the credentials may not ${denied.join(", ")} in the bucket ${bucket}`,
    hint: `allow them s3:ListBucket on arn:aws:s3:::${bucket}, and s3:GetObject, s3:PutObject and s3:DeleteObject on arn:aws:s3:::${bucket}/*`
  })
})
