/** Uploads through the host to a store that refuses them, or stops. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RequestListener } from "node:http"
import { Unavailable } from "../../core/model/Problem.ts"
import { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { makeServedObjects } from "./objects.ts"
import { withLogLines } from "./testing/logLines.ts"
import { clientOf, refuse } from "./testing/scripted.ts"

const mebibyte = new Uint8Array(1024 ** 2)

/** Receives an object of so many MiB into a store with this server, and counts the MiB that are read from the client. */
const receiveInto = Effect.fnUntraced(function* (answer: RequestListener, mebibytes: number) {
  const client = yield* clientOf(answer)
  const urls = SignedUrls.make({ secret: Redacted.make("secret of the host"), baseUrl: () => "http://host.example" })
  const { sink } = makeServedObjects(urls, { client, bucket: "bucket", prefix: "" })
  const count = { read: 0 }
  const bytes = Stream.range(1, mebibytes).pipe(
    Stream.rechunk(1),
    Stream.map(() => {
      count.read += 1
      return mebibyte
    })
  )
  const object = { key: "uploads/a", contentType: "text/plain", sizeBytes: mebibytes * mebibyte.byteLength }
  const receiving = yield* Effect.forkChild(withLogLines(Effect.flip(sink.receive(object, bytes))))
  /** The outcome, while the time of the test passes. */
  const outcome = Effect.gen(function* () {
    while (receiving.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(receiving)
  })
  return { count, outcome }
})

describe("an upload through the host", () => {
  it.effect("is refused as soon as the store refuses it, and the rest isn't read", () =>
    Effect.gen(function* () {
      const { count, outcome } = yield* receiveInto((_, response) => refuse(response, 503, "SlowDown"), 500)
      const { lines, result } = yield* outcome
      assert.strictEqual(result, Unavailable.answer)
      assert.match(lines.join("\n"), /can't be reached PutObject: 503 SlowDown/)
      assert.isBelow(count.read, 100)
    })
  )

  it.effect("is read no faster than the store accepts it, and fails when the store stops", () =>
    Effect.gen(function* () {
      const { count, outcome } = yield* receiveInto((request) => void request.pause(), 500)
      const { lines, result } = yield* outcome
      assert.strictEqual(result, Unavailable.answer)
      assert.match(lines.join("\n"), /PutObject: TimeoutError, nothing came for 30s/)
      assert.isBelow(count.read, 100)
    })
  )

  it.effect("fails when the store has all of it and doesn't answer", () =>
    Effect.gen(function* () {
      const { count, outcome } = yield* receiveInto((request) => void request.resume(), 3)
      const { lines, result } = yield* outcome
      assert.strictEqual(result, Unavailable.answer)
      assert.match(lines.join("\n"), /PutObject: TimeoutError, nothing came for 20s/)
      assert.strictEqual(count.read, 3)
    })
  )
})
