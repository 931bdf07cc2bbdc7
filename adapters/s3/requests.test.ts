/** Properties of requests that no store in the tests checks. */
import { CreateBucketCommand, DeleteBucketCommand, PutBucketPolicyCommand } from "@aws-sdk/client-s3"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { Previews } from "../../core/service/Previews.ts"
import { openClient } from "./client.ts"
import { makeObjects } from "./objects.ts"
import { hasS3, newPrefix, openStore, put, sharedBucket, withLogLines } from "./testing/server.ts"
import { scriptedStore } from "./testing/scripted.ts"
import {
  type Content,
  digests,
  hostedDigests,
  layerPorts,
  layerService,
  newCaller,
  putAll,
  reserve
} from "./testing/uploads.ts"

const keys = Array.from({ length: 2500 }, (_, index) => `uploads/${index}`)

describe("requests to a store", () => {
  it.effect("delete a thousand objects each, with the checksum that every store supports", function* () {
    const { sent, store } = yield* scriptedStore((_, response) => response.end("<DeleteResult></DeleteResult>"))
    yield* store.remove(keys)
    const named = sent.map(({ body }) => Array.from(body.matchAll(/<Key>([^<]+)<\/Key>/g), ([, key]) => key))
    assert.deepStrictEqual(
      named.map(({ length }) => length).toSorted((a, b) => b - a),
      [1000, 1000, 500]
    )
    assert.deepStrictEqual(named.flat().toSorted(), keys.toSorted())
    for (const { body, headers, method, url } of sent) {
      assert.strictEqual(`${method} ${url.pathname}${url.search}`, "POST /bucket/?delete=")
      assert.strictEqual(headers["content-md5"], createHash("md5").update(body).digest("base64"))
      assert.deepStrictEqual(
        Object.keys(headers).filter((name) => name.includes("checksum")),
        []
      )
    }
  })

  it.live("repeat a deletion if an object could not be deleted for the moment, and not if it is refused", function* () {
    const codes = ["UnknownError", "SlowDown"]
    const { sent, store } = yield* scriptedStore(({ body }, response) => {
      const code = body.includes("denied") ? "AccessDenied" : codes.shift()
      const error = code === undefined ? "" : `<Error><Key>uploads/a</Key><Code>${code}</Code></Error>`
      response.end(`<DeleteResult>${error}</DeleteResult>`)
    })
    yield* store.remove(["uploads/a"])
    assert.strictEqual(sent.length, 3)
    assert.strictEqual((yield* Effect.flip(store.remove(["uploads/denied"])))._tag, "Unavailable")
    assert.strictEqual(sent.length, 4)
  })

  it.effect("copy an object by name with its type and encoding", function* () {
    const { sent, store } = yield* scriptedStore((_, response) =>
      response.end("<CopyObjectResult><ETag>a</ETag></CopyObjectResult>")
    )
    yield* store.promote("uploads/it's/a*(1)", "hosted/a")
    assert.strictEqual(sent[0]?.method, "PUT")
    assert.strictEqual(sent[0]?.url.pathname, "/bucket/hosted/a")
    assert.strictEqual(sent[0]?.headers["x-amz-copy-source"], "bucket/uploads/it%27s/a%2A%281%29")
    assert.notStrictEqual(sent[0]?.headers["x-amz-metadata-directive"], "REPLACE")
    yield* store.promote("hosted/a", "hosted/b", "text/css")
    assert.strictEqual(sent[1]?.headers["x-amz-metadata-directive"], "REPLACE")
    assert.strictEqual(sent[1]?.headers["content-type"], "text/css")
    assert.isUndefined(sent[1]?.headers["content-encoding"])
  })

  it.effect("continue a listing where the last page ended, and names that are no keys are left out", function* () {
    const { sent, store } = yield* scriptedStore(({ url }, response) => {
      const [key, next] = url.searchParams.has("continuation-token")
        ? ["uploads/b", ""]
        : ["uploads/a", "<IsTruncated>true</IsTruncated><NextContinuationToken>=/+ next</NextContinuationToken>"]
      response.end(
        `<ListBucketResult>${next}<Contents><Key>${key}</Key><Size>5</Size></Contents>` +
          "<Contents><Key>uploads/</Key><Size>0</Size></Contents>" +
          "<Contents><Key>uploads/a name</Key><Size>5</Size></Contents></ListBucketResult>"
      )
    })
    assert.deepStrictEqual(
      (yield* store.list("uploads/")).map(({ key }) => key),
      ["uploads/a", "uploads/b"]
    )
    assert.deepStrictEqual(
      sent.map(({ url }) => url.searchParams.get("continuation-token")),
      [null, "=/+ next"]
    )
    assert.isTrue(sent.every(({ url }) => url.searchParams.get("prefix") === "uploads/"))
  })

  it.effect("of a check list one name below the prefix, however many there are", function* () {
    const { sent, store } = yield* scriptedStore((_, response) =>
      response.end(
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>" +
          "<Contents><Key>uploads/a</Key><Size>5</Size></Contents></ListBucketResult>"
      )
    )
    yield* store.check
    assert.deepStrictEqual(
      sent.map(({ method, url }) => `${method} ${url.pathname} ${url.searchParams.get("max-keys")}`),
      ["GET /bucket/ 1"]
    )
  })

  it.effect("for a range are answered with that range, or not at all", function* () {
    const { sent, store } = yield* scriptedStore((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "10" })
      response.end("0123456789")
    })
    const read = (...range: Parameters<typeof store.read> extends [string, ...infer Range] ? Range : never) =>
      Effect.scoped(store.read("uploads/a", ...range))
    const { lines, result } = yield* withLogLines(Effect.flip(read({ offset: 2, length: 3 })))
    assert.strictEqual(result, Unavailable.default)
    assert.match(lines.join("\n"), /GetObject: 200 other bytes than were asked for/)
    assert.strictEqual(sent[0]?.headers.range, "bytes=2-4")
    assert.deepInclude(yield* read({ offset: 0 }), { offset: 0, length: 10, sizeBytes: 10 })
    assert.deepInclude(yield* read(), { offset: 0, length: 10, sizeBytes: 10 })
  })
})

// How many requests a finalize sends to S3, and how many of them at the same time.

const text = (index: number): Content => ({
  bytes: new TextEncoder().encode(`file number ${index}`),
  digest: index % 2 === 0
})

/** The greatest number of requests at the same time. */
const makeGauge = () => {
  const gauge = { now: 0, most: 0 }
  const begin = Effect.sync(() => {
    gauge.now += 1
    gauge.most = Math.max(gauge.most, gauge.now)
  })
  const end = Effect.sync(() => {
    gauge.now -= 1
  })
  return { gauge, counted: Effect.acquireRelease(begin, () => end) }
}

describe.skipIf(!hasS3)("finalizing a preview of 1,000 files on S3", () => {
  it.live(
    "makes one listing per thousand objects, one copy per object and one read per digest, concurrently",
    function* () {
      const options = yield* newPrefix
      const client = yield* openClient(options)
      let calls: Record<string, number> = {}
      client.middlewareStack.add(
        (next, { commandName = "" }) =>
          (args) => {
            calls[commandName] = (calls[commandName] ?? 0) + 1
            return next(args)
          },
        { step: "initialize" }
      )
      const [promotions, reads] = [makeGauge(), makeGauge()]
      const store = makeObjects({ ...options, client })
      const counting = Layer.succeed(
        ObjectStore,
        ObjectStore.of({
          ...store,
          promote: (from, to) => Effect.scoped(Effect.andThen(promotions.counted, store.promote(from, to))),
          read: (key, range) => Effect.andThen(reads.counted, store.read(key, range))
        })
      )
      yield* Effect.gen(function* () {
        const caller = yield* newCaller
        const bundle = { ...text(1000), digest: true }
        const files = Array.from({ length: 1000 }, (_, index) => text(index))
        const ticket = yield* reserve(caller, bundle, files)
        yield* putAll(
          ticket,
          [bundle, ...files].map(({ bytes }) => bytes)
        )
        calls = {}
        yield* (yield* Previews).finalize(caller, ticket.token)
        assert.deepStrictEqual(calls, {
          CopyObjectCommand: 1001,
          ListObjectsV2Command: 2,
          GetObjectCommand: 501,
          DeleteObjectsCommand: 2
        })
        for (const { gauge } of [promotions, reads]) {
          assert.isAtLeast(gauge.most, 8)
          assert.isAtMost(gauge.most, 16)
          assert.strictEqual(gauge.now, 0)
        }
        const hosted = yield* hostedDigests(caller, ticket, 3)
        assert.deepStrictEqual(hosted, digests([bundle, ...files.slice(0, 3)]))
      }).pipe(Effect.provide(layerService(layerPorts(counting))))
    }
  )
})

// The refusals of a real store, and what Slipway answers and logs.

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
  for (const problem of result) assert.strictEqual(problem, Unavailable.default)
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
  it.live("a bucket that doesn't exist", function* () {
    const store = yield* openStore({ ...(yield* sharedBucket), bucket: "there-is-no-such-bucket" })
    assert.deepStrictEqual(yield* refusals(store), said("404 NoSuchBucket"))
  })

  it.live("a wrong secret", function* () {
    const { credentials, ...place } = yield* sharedBucket
    const secretAccessKey = Redacted.make("another secret")
    const store = yield* openStore({ ...place, credentials: { ...credentials, secretAccessKey } })
    assert.deepStrictEqual(yield* refusals(store), said("403 SignatureDoesNotMatch"))
  })

  it.live("what a policy denies: an existing object is a fault, and a missing one is missing", function* () {
    const { deny, store } = yield* deniedBucket
    yield* put(store, "denied/there", "hello")
    yield* deny("GetObject", "DeleteObject")
    const problems = (key: string) =>
      withLogLines(
        Effect.all([Effect.flip(Effect.scoped(store.read(key))), Effect.flip(store.promote(key, "hosted/a"))])
      )
    const there = yield* problems("denied/there")
    assert.deepStrictEqual(there.result, [Unavailable.default, Unavailable.default])
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
    assert.strictEqual(removal.result, Unavailable.default)
    assert.match(removal.lines.join("\n"), /^Error: .* DeleteObjects: 200 AccessDenied, \d of 2 objects/)
  })
})
