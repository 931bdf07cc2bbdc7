/** A store that can't be reached, or answers wrongly, is `Unavailable`, and the log says why. */
import { assert, describe } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { withLogLines } from "./testing/server.ts"
import { listing, refuse, scripted, scriptedStore, secretAccessKey, type Script } from "./testing/scripted.ts"

/** Every method that calls the store, by the name of the S3 call. */
const calls = (store: ObjectStore["Service"]) =>
  [
    ["ListObjectsV2", store.list("uploads/")],
    ["ListObjectsV2", store.check],
    ["GetObject", Effect.scoped(store.read("uploads/a"))],
    ["CopyObject", store.promote("uploads/a", "hosted/a")],
    ["DeleteObjects", store.remove(["uploads/a"])]
  ] as const

/** Asserts that every method is `Unavailable` and logs one line that begins so and holds no secret. */
const assertUnavailable = Effect.fnUntraced(function* (store: ObjectStore["Service"], line: (call: string) => string) {
  for (const [call, effect] of calls(store)) {
    const { lines, result } = yield* withLogLines(Effect.flip<unknown, unknown, never>(effect))
    assert.strictEqual(result, Unavailable.default, call)
    assert.strictEqual(lines.length, 1, lines.join("\n"))
    assert.isTrue(lines[0]?.startsWith(line(call)), lines[0])
    for (const secret of [secretAccessKey, "Signature=", "X-Amz-"]) assert.notInclude(lines[0], secret)
  }
})

const ok: Script = (_, response) => listing(response, "uploads/a")

describe("a store that can't be reached", () => {
  it.live("is Unavailable, and works again by itself once it is reachable", function* () {
    const { store, up } = yield* scripted(ok)
    const away = (call: string) => `Warn: The object store can't be reached ${call}: ECONNREFUSED`
    const there = Effect.gen(function* () {
      yield* up
      assert.deepStrictEqual(yield* store.list("uploads/"), [{ key: "uploads/a", sizeBytes: 5 }])
    }).pipe(Effect.scoped)
    yield* assertUnavailable(store, away)
    yield* there
    yield* assertUnavailable(store, away)
    yield* there
  })

  it.live("still signs URLs", function* () {
    const { sent, store } = yield* scripted(ok)
    const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 1 })
    assert.match(yield* store.presignGet({ key: "a", expiresAt }), /^http:\/\/127\.0\.0\.1:\d+\/bucket\/a\?/)
    assert.strictEqual(sent.length, 0)
  })

  it.live.each([
    { status: 500, code: "InternalError" },
    { status: 503, code: "ServiceUnavailable" },
    { status: 503, code: "SlowDown" },
    { status: 429, code: "TooManyRequests" },
    { status: 400, code: "RequestTimeout" }
  ])("because it has too much to do is Unavailable, after three attempts: $status $code", function* ({ code, status }) {
    const { sent, store } = yield* scriptedStore((_, response) => refuse(response, status, code))
    const { lines, result } = yield* withLogLines(Effect.flip(store.list("uploads/")))
    assert.strictEqual(result, Unavailable.default)
    assert.deepStrictEqual(lines, [
      `Warn: The object store can't be reached ListObjectsV2: ${status} ${code}, It says ${code}.`
    ])
    assert.strictEqual(sent.length, 3)
  })

  it.live("for a moment isn't noticed, because the call is repeated", function* () {
    let times = 0
    const { store } = yield* scriptedStore((sent, response) => (++times < 3 ? response.destroy() : ok(sent, response)))
    const { lines, result } = yield* withLogLines(store.list("uploads/"))
    assert.deepStrictEqual(result, [{ key: "uploads/a", sizeBytes: 5 }])
    assert.deepStrictEqual(lines, [])
  })

  it.live("in the middle of an object makes only its stream Unavailable", function* () {
    const { store } = yield* scriptedStore((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "10" })
      response.write("hello", () => response.destroy())
    })
    const object = yield* store.read("uploads/a")
    assert.strictEqual(object.sizeBytes, 10)
    const { lines, result } = yield* withLogLines(Effect.flip(Stream.runDrain(object.stream)))
    assert.strictEqual(result, Unavailable.default)
    assert.match(lines.join("\n"), /^Warn: The object store can't be reached GetObject: ECONNRESET/)
    // Nobody reads this stream; its failure must not end the process.
    assert.strictEqual((yield* Effect.scoped(store.read("uploads/a"))).sizeBytes, 10)
  })
})

describe("a store that doesn't answer", () => {
  it.effect("is Unavailable after 15 seconds, even when it sent a part of its headers", function* () {
    const asked = yield* Deferred.make<void>()
    const { store } = yield* scriptedStore((_, response) => {
      response.writeHead(200, { "content-type": "application/xml" })
      response.flushHeaders()
      Deferred.doneUnsafe(asked, Effect.void)
    })
    const listing = yield* Effect.forkChild(withLogLines(Effect.flip(store.list("uploads/"))))
    yield* Deferred.await(asked)
    yield* TestClock.adjust("14 seconds")
    assert.isUndefined(listing.pollUnsafe())
    yield* TestClock.adjust("1 second")
    const { lines, result } = yield* Fiber.join(listing)
    assert.strictEqual(result, Unavailable.default)
    assert.match(
      lines.join("\n"),
      /The object store can't be reached ListObjectsV2: TimeoutError, nothing came for 15s$/
    )
  })

  it.effect(
    "in the middle of an object makes its stream Unavailable after a reader waited for 30 seconds",
    function* () {
      const { store } = yield* scriptedStore((_, response) => {
        response.writeHead(200, { "content-type": "text/plain", "content-length": "10" })
        response.write("hello")
      })
      const { stream } = yield* store.read("uploads/a")
      // A reader may take as long as it needs.
      yield* TestClock.adjust("1 hour")
      const begun = yield* Deferred.make<void>()
      const reading = yield* stream.pipe(
        Stream.runForEach(() => Deferred.succeed(begun, undefined)),
        Effect.flip,
        withLogLines,
        Effect.forkChild
      )
      yield* Deferred.await(begun)
      yield* TestClock.adjust("30 seconds")
      const { lines, result } = yield* Fiber.join(reading)
      assert.strictEqual(result, Unavailable.default)
      assert.match(lines.join("\n"), /GetObject: TimeoutError, nothing came for 30s$/)
    }
  )
})

describe("a store that refuses Slipway", () => {
  it.live.each([
    { status: 403, code: "AccessDenied" },
    { status: 403, code: "InvalidAccessKeyId" },
    { status: 403, code: "SignatureDoesNotMatch" },
    { status: 403, code: "RequestTimeTooSkewed" },
    { status: 404, code: "NoSuchBucket" },
    { status: 301, code: "PermanentRedirect" },
    { status: 501, code: "NotImplemented" }
  ])("is Unavailable and logged as an error: $status $code", function* ({ code, status }) {
    const { store } = yield* scriptedStore((_, response) => refuse(response, status, code))
    yield* assertUnavailable(
      store,
      (call) => `Error: The object store refuses Slipway ${call}: ${status} ${code}, It says ${code}.`
    )
  })

  it.live("with pages of another server doesn't count as a missing object", function* () {
    const { store } = yield* scriptedStore((_, response) => {
      response.writeHead(404, { "content-type": "text/html" })
      response.end("<!doctype html><p>No such page")
    })
    yield* assertUnavailable(store, (call) => `Error: The object store refuses Slipway ${call}: 404 `)
  })

  it.live("after it answered 200 is Unavailable", function* () {
    const { store } = yield* scriptedStore(({ method }, response) => {
      if (method === "PUT") return refuse(response, 200, "InternalError")
      response.writeHead(200, { "content-type": "application/xml" })
      response.end(
        "<DeleteResult><Error><Key>uploads/a</Key><Code>NoSuchKey</Code></Error>" +
          "<Error><Key>uploads/b</Key><Code>AccessDenied</Code><Message>Denied.</Message></Error></DeleteResult>"
      )
    })
    const promotion = yield* withLogLines(Effect.flip(store.promote("uploads/a", "hosted/a")))
    assert.strictEqual(promotion.result, Unavailable.default)
    const removal = yield* withLogLines(Effect.flip(store.remove(["uploads/a", "uploads/b"])))
    assert.strictEqual(removal.result, Unavailable.default)
    assert.match(removal.lines.join("\n"), /DeleteObjects: 200 AccessDenied, 1 of 2 objects: Denied\.$/)
  })
})

describe("access denied to an object", () => {
  const store = (...listed: ReadonlyArray<string>) =>
    Effect.map(
      scriptedStore(({ method, url }, response) =>
        method === "GET" && url.searchParams.has("list-type")
          ? listing(response, ...listed)
          : refuse(response, 403, "AccessDenied")
      ),
      ({ store }) => ({
        read: Effect.scoped(store.read("uploads/a")),
        promote: store.promote("uploads/a", "hosted/a")
      })
    )

  it.live("is a fault when a listing shows the object", function* () {
    const { promote, read } = yield* store("uploads/a")
    const problems = yield* withLogLines(Effect.all([Effect.flip(read), Effect.flip(promote)]))
    assert.deepStrictEqual(problems.result, [Unavailable.default, Unavailable.default])
    assert.include(problems.lines[0], "The object store refuses Slipway GetObject: 403 AccessDenied")
  })

  it.live("means that the object is missing when a listing doesn't show it", function* () {
    for (const listed of [[], ["uploads/a/below"], ["uploads/ab"]]) {
      const { promote, read } = yield* store(...listed)
      assert.strictEqual((yield* Effect.flip(read))._tag, "ObjectMissing")
      assert.strictEqual((yield* Effect.flip(promote))._tag, "ObjectMissing")
    }
  })
})
