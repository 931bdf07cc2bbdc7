import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3"
import { assert, describe } from "@effect/vitest"
import { DateTime, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OptionsUnusable } from "./index.ts"
import { makeObjects } from "./objects.ts"
import { hasS3, newPrefix, openStore, put, sharedBucket } from "./testing/server.ts"

const key = "uploads/a/files/0!('*')"

/** A store that receives no request. */
const storeOf = (config: S3ClientConfig, prefix = "") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new S3Client({ region: "eu-central-1", ...config })),
      (client) => Effect.sync(() => client.destroy())
    ),
    (client) => makeObjects({ client, bucket: "bucket", prefix })
  )

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" }

const inSeconds = (seconds: number) => Effect.map(DateTime.now, (now) => DateTime.add(now, { seconds }))

/** The signing time in a URL, and its lifetime in seconds. */
const lifeOf = (url: string) => {
  const { searchParams } = new URL(url)
  return [searchParams.get("X-Amz-Date"), searchParams.get("X-Amz-Expires")]
}

describe("a presigned URL of S3", () => {
  it.effect("of a PUT signs the content type and the length, and asks for no checksum", function* () {
    const { presignPuts } = yield* storeOf({ credentials })
    const expiresAt = yield* inSeconds(60)
    const [url = ""] = yield* presignPuts([{ key, contentType: "text/javascript", sizeBytes: 5, expiresAt }])
    const { searchParams } = new URL(url)
    assert.strictEqual(searchParams.get("X-Amz-SignedHeaders"), "content-length;content-type;host")
    assert.deepStrictEqual(
      [...searchParams.keys()].toSorted(),
      ["Algorithm", "Content-Sha256", "Credential", "Date", "Expires", "Signature", "SignedHeaders"].map(
        (name) => `X-Amz-${name}`
      )
    )
  })

  it.effect("names the bucket by host or by path, with prefix and key as S3 encodes them", function* () {
    const expiresAt = yield* inSeconds(60)
    const placeOf = Effect.fnUntraced(function* (config: S3ClientConfig) {
      const store = yield* storeOf({ credentials, ...config }, "team/")
      return (yield* store.presignGet({ key, expiresAt })).split("?")[0]
    })
    const path = "/team/uploads/a/files/0%21%28%27%2A%27%29"
    assert.strictEqual(yield* placeOf({}), `https://bucket.s3.eu-central-1.amazonaws.com${path}`)
    assert.strictEqual(
      yield* placeOf({ forcePathStyle: true, endpoint: "http://127.0.0.1:9000/s3" }),
      `http://127.0.0.1:9000/s3/bucket${path}`
    )
    assert.strictEqual(yield* placeOf({ endpoint: "https://store.example" }), `https://bucket.store.example${path}`)
  })

  it.effect("is signed at the clock's time and ends at the given time, in whole seconds", function* () {
    const { presignGet } = yield* storeOf({ credentials })
    yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12, 0, 0, 900))
    assert.deepStrictEqual(lifeOf(yield* presignGet({ key, expiresAt: yield* inSeconds(3600) })), [
      "20261121T120000Z",
      "3600"
    ])
    yield* TestClock.adjust("200 millis")
    assert.deepStrictEqual(lifeOf(yield* presignGet({ key, expiresAt: yield* inSeconds(60) })), [
      "20261121T120001Z",
      "60"
    ])
  })

  it.effect(
    "of a PUT is the same whenever it is asked for with the same time of signing, also when it has expired",
    function* () {
      const { presignPuts } = yield* storeOf({ credentials })
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12, 0, 0, 900))
      const put = { key, contentType: "text/javascript", sizeBytes: 5, expiresAt: yield* inSeconds(3600) }
      const first = yield* presignPuts([{ ...put, signedAt: yield* DateTime.now }])
      const signedAt = yield* DateTime.now
      assert.deepStrictEqual(first, yield* presignPuts([put]))
      for (const minutes of [1, 23 * 60]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        assert.deepStrictEqual(yield* presignPuts([{ ...put, signedAt }]), first)
      }
    }
  )

  it.effect("that has already expired is signed with a time before its end", function* () {
    const { presignGet } = yield* storeOf({ credentials })
    yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12))
    for (const [seconds, date] of [
      [0, "20261121T115959Z"],
      [-1, "20261121T115958Z"],
      [-86_400, "20261120T115959Z"]
    ] as const) {
      assert.deepStrictEqual(lifeOf(yield* presignGet({ key, expiresAt: yield* inSeconds(seconds) })), [date, "1"])
    }
  })

  it.effect("lives for at most 7 days; asking for more is a defect of the caller", function* () {
    const { presignGet } = yield* storeOf({ credentials })
    const week = 7 * 86_400
    assert.strictEqual(lifeOf(yield* presignGet({ key, expiresAt: yield* inSeconds(week) }))[1], String(week))
    const exit = yield* Effect.exit(presignGet({ key, expiresAt: yield* inSeconds(week + 1) }))
    assert.isTrue(Exit.hasDies(exit))
  })

  it.effect("is signed with the current credentials, which are read once for each batch", function* () {
    let asked = 0
    const { presignPuts } = yield* storeOf({
      // These credentials expire as soon as they are made, so the SDK asks for new ones each time.
      credentials: async () => ({
        ...credentials,
        accessKeyId: `AKID${++asked}`,
        sessionToken: `token ${asked}`,
        expiration: new Date(0)
      })
    })
    const expiresAt = yield* inSeconds(60)
    const request = { key, contentType: "text/plain", sizeBytes: 5, expiresAt }
    // The first call reads everything else that the SDK needs to know of the bucket.
    yield* presignPuts([request])
    const before = asked
    const batch = yield* presignPuts(Array.from({ length: 100 }, () => request))
    assert.strictEqual(asked, before + 1)
    for (const url of batch) {
      const { searchParams } = new URL(url)
      assert.match(searchParams.get("X-Amz-Credential") ?? "", new RegExp(`^AKID${asked}/`))
      assert.strictEqual(searchParams.get("X-Amz-Security-Token"), `token ${asked}`)
    }
  })
})

const keysBelow = (store: ObjectStore["Service"], prefix: string) =>
  Effect.map(store.list(prefix), (objects) => objects.map(({ key }) => key))

describe.skipIf(!hasS3)("a prefix in a bucket", () => {
  it.live("is put before every key, and its store sees no other objects", function* () {
    const options = yield* newPrefix
    const whole = yield* openStore(yield* sharedBucket)
    const [one, other] = [
      yield* openStore({ ...options, prefix: `${options.prefix}one/` }),
      yield* openStore({ ...options, prefix: `${options.prefix}other/deep/` })
    ]
    yield* put(one, "uploads/a", "one")
    yield* put(other, "uploads/a", "other")
    yield* other.promote("uploads/a", "hosted/a")
    assert.deepStrictEqual(yield* keysBelow(whole, options.prefix), [
      `${options.prefix}one/uploads/a`,
      `${options.prefix}other/deep/hosted/a`,
      `${options.prefix}other/deep/uploads/a`
    ])
    assert.deepStrictEqual(yield* keysBelow(one, "uploads/"), ["uploads/a"])
    assert.strictEqual((yield* Effect.flip(Effect.scoped(one.read("hosted/a"))))._tag, "ObjectMissing")
    yield* one.remove(["uploads/a", "hosted/a"])
    assert.deepStrictEqual(yield* keysBelow(one, "uploads/"), [])
    assert.strictEqual((yield* Effect.scoped(other.read("hosted/a"))).sizeBytes, 5)
  })
})

describe("invalid options", () => {
  it.live.each([
    { prefix: "team" },
    { prefix: "/team/" },
    { prefix: "a//b/" },
    { prefix: "../" },
    { prefix: "a b/" },
    { endpoint: "127.0.0.1:9000" },
    { endpoint: "ftp://127.0.0.1" }
  ])("are refused: %j", function* (options) {
    const refused = yield* Effect.flip(openStore({ bucket: "bucket", region: "us-east-1", ...options }))
    assert.instanceOf(refused, OptionsUnusable)
    assert.isNotEmpty(refused.message)
  })
})
