/** The refusals of a real store, and what Slipway answers and logs. */
import { CreateBucketCommand, DeleteBucketCommand, PutBucketPolicyCommand } from "@aws-sdk/client-s3"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Unavailable } from "../../core/model/Problem.ts"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { openClient } from "./client.ts"
import { openStore, put, sharedBucket, withLogLines } from "./testing/openStore.ts"
import { hasS3 } from "./testing/server.ts"

/** The log lines of every method that calls the store, each of which answers `Unavailable`. */
const refusals = Effect.fnUntraced(function* (store: ObjectStore["Service"]) {
  const methods = [
    store.list("uploads/"),
    Effect.scoped(store.read("uploads/a")),
    store.promote("uploads/a", "hosted/a"),
    store.remove(["uploads/a"])
  ]
  const { lines, result } = yield* withLogLines(
    Effect.forEach(methods, (method) => Effect.flip<unknown, unknown, never>(method))
  )
  for (const problem of result) assert.strictEqual(problem, Unavailable.answer)
  return lines
})

const said = (reason: string) =>
  ["ListObjectsV2", "GetObject", "CopyObject", "DeleteObjects"].map(
    (call) => `Error: The object store refuses Slipway ${call}: ${reason}`
  )

/** A new bucket, in which nobody may read or delete below `denied/`. */
const deniedBucket = Effect.gen(function* () {
  const options = { ...(yield* sharedBucket), bucket: `denied-${crypto.randomUUID()}` }
  const { bucket: Bucket } = options
  const client = yield* openClient(options)
  yield* Effect.acquireRelease(
    Effect.promise(() => client.send(new CreateBucketCommand({ Bucket }))),
    () => Effect.promise(() => client.send(new DeleteBucketCommand({ Bucket })))
  )
  const deny = (...actions: ReadonlyArray<string>) =>
    Effect.promise(() =>
      client.send(
        new PutBucketPolicyCommand({
          Bucket,
          Policy: JSON.stringify({
            Version: "2012-10-17",
            Statement: actions.map((action) => ({
              Effect: "Deny",
              Principal: "*",
              Action: `s3:${action}`,
              Resource: `arn:aws:s3:::${Bucket}/denied/*`
            }))
          })
        })
      )
    )
  const store = yield* openStore(options)
  yield* Effect.addFinalizer(() =>
    Effect.orDie(
      Effect.andThen(
        deny("GetObjectAcl"),
        Effect.flatMap(store.list("denied/"), (left) => store.remove(left.map(({ key }) => key)))
      )
    )
  )
  return { deny, store }
})

describe.skipIf(!hasS3)("S3 refuses", () => {
  it.live("a bucket that doesn't exist", () =>
    Effect.gen(function* () {
      const store = yield* openStore({ ...(yield* sharedBucket), bucket: "there-is-no-such-bucket" })
      assert.deepStrictEqual(yield* refusals(store), said("404 NoSuchBucket"))
    }).pipe(Effect.scoped)
  )

  it.live("a wrong secret", () =>
    Effect.gen(function* () {
      const { credentials, ...place } = yield* sharedBucket
      const secretAccessKey = Redacted.make("another secret")
      const store = yield* openStore({ ...place, credentials: { ...credentials, secretAccessKey } })
      assert.deepStrictEqual(yield* refusals(store), said("403 SignatureDoesNotMatch"))
    }).pipe(Effect.scoped)
  )

  it.live("what a policy denies: an existing object is a fault, and a missing one is missing", () =>
    Effect.gen(function* () {
      const { deny, store } = yield* deniedBucket
      yield* put(store, "denied/there", "hello")
      yield* deny("GetObject", "DeleteObject")
      const problems = (key: string) =>
        withLogLines(
          Effect.all([Effect.flip(Effect.scoped(store.read(key))), Effect.flip(store.promote(key, "hosted/a"))])
        )
      const there = yield* problems("denied/there")
      assert.deepStrictEqual(there.result, [Unavailable.answer, Unavailable.answer])
      assert.deepStrictEqual(there.lines, [
        "Error: The object store refuses Slipway GetObject: 403 AccessDenied",
        "Error: The object store refuses Slipway CopyObject: 403 AccessDenied"
      ])
      const missing = yield* problems("denied/missing")
      assert.deepStrictEqual(
        missing.result.map(({ _tag }) => _tag),
        ["ObjectMissing", "ObjectMissing"]
      )
      assert.deepStrictEqual(missing.lines, [])
      const removal = yield* withLogLines(Effect.flip(store.remove(["denied/there", "denied/missing"])))
      assert.strictEqual(removal.result, Unavailable.answer)
      assert.match(removal.lines.join("\n"), /^Error: .* DeleteObjects: 200 AccessDenied, \d of 2 objects/)
    }).pipe(Effect.scoped)
  )
})
