/**
 * The cost of decompressing an account's uploads at finalize is bounded for each reservation, and accounts take turns.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { gzipSync } from "node:zlib"
import { testEngines } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { finalizePreview, reservePreview, uploader } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { bundle, bytes, commit, finalize, put, reserve, sha256, type Account } from "./testing/uploads.ts"
import { aWhile, eventually, watched, withoutDigests } from "./testing/watched.ts"

const bound = 1_000_000
const tooMuch = `decompresses to more than ${bound} bytes`

/** Zeros, which gzip compresses to a thousandth. */
const bomb = new Uint8Array(gzipSync(new Uint8Array(20 * bound)))

const plainOf = (character: string, length: number) => bytes(character.repeat(length))

/** Gzip without compression: this many bytes always give the same length. */
const packed = (character: string, length: number) => new Uint8Array(gzipSync(plainOf(character, length), { level: 0 }))

/** The issues in an `upload_incomplete` answer. */
const refused = Effect.fnUntraced(function* (answer: HttpResponse) {
  const problem = yield* refusal(answer, 409, "upload_incomplete")
  return problem._tag === "UploadIncomplete"
    ? { detail: problem.detail, objects: problem.objects }
    : assert.fail(problem._tag)
})

/** What an `upload_incomplete` reports as found instead of the declared digest, for each object. */
const found = (answer: HttpResponse) =>
  Effect.map(refused(answer), ({ objects }) => objects.map(({ actual }) => actual))

const gzip = [
  ["content type", {}, "application/gzip"],
  ["content encoding", { "content-encoding": "gzip" }, "text/javascript"]
] as const

for (const plain of testEngines()) {
  const { engines, mayEnd, mayRead, seen } = watched(withoutDigests(plain))

  /** Reserves a build that declares the digest of one content, and uploads other gzip of the given size. */
  const reserveGzip = (account: Account, content: Uint8Array, sizeBytes: number, n = 1) =>
    reserve(account, {
      commitSha: commit(n),
      contentHash: sha256(content),
      bundleSizeBytes: sizeBytes,
      bundleContentType: "application/gzip"
    })

  layer(TestHost.layer(engines, { decompressedBytes: bound }))(
    `decompression on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect.each(gzip)(
        "a bomb by %s is refused, and from then on with the same answer without reading anything",
        function* (one) {
          const [, headers, bundleContentType] = one
          const account = yield* uploader
          const { slots, token } = yield* reservePreview(account, {
            bundleSizeBytes: bomb.byteLength,
            bundleContentType
          })
          yield* put(slots.bundle, bomb, headers)
          const first = yield* refused(yield* finalizePreview(account, token))
          assert.deepStrictEqual(first.objects, [
            {
              objectKey: slots.bundle.objectKey,
              reason: "digest_mismatch",
              expected: sha256(bundle),
              actual: tooMuch
            }
          ])
          const { reads } = seen
          for (let time = 0; time < 3; time++) {
            assert.deepStrictEqual(yield* refused(yield* finalizePreview(account, token)), first)
          }
          assert.strictEqual(seen.reads, reads)
        }
      )

      it.effect("the bytes that failed attempts decompressed add up, until no attempt is allowed", function* () {
        const account = yield* newAccount()
        const [wrong, right] = [packed("x", 400_000), packed("y", 400_000)]
        const { slots, token } = yield* reserveGzip(account, plainOf("y", 400_000), wrong.byteLength)
        yield* put(slots.bundle, wrong)
        for (let time = 0; time < 3; time++) {
          assert.deepStrictEqual(yield* found(yield* finalize(account, token)), [sha256(plainOf("x", 400_000))])
        }
        yield* put(slots.bundle, right)
        const { reads } = seen
        assert.deepStrictEqual(yield* found(yield* finalize(account, token)), [tooMuch])
        assert.strictEqual(seen.reads, reads)
      })

      it.effect.each([
        { bytes: 900_000, times: 1 },
        { bytes: 200_000, times: 4 }
      ])(
        "an upload of $bytes bytes that was wrong $times times can still be corrected and finalized",
        function* ({ bytes, times }) {
          const account = yield* newAccount()
          const right = packed("y", bytes)
          const { slots, token } = yield* reserveGzip(account, plainOf("y", bytes), right.byteLength)
          for (let time = 0; time < times; time++) {
            yield* put(slots.bundle, packed(`${time}`, bytes))
            assert.deepStrictEqual(yield* found(yield* finalize(account, token)), [sha256(plainOf(`${time}`, bytes))])
          }
          yield* put(slots.bundle, right)
          assert.strictEqual((yield* finalize(account, token)).status, 201)
        }
      )

      it.effect("attempts that the client aborts count too", () =>
        Effect.gen(function* () {
          const host = yield* TestHost
          const account = yield* newAccount()
          const upload = packed("x", 600_000)
          const { slots, token } = yield* reserveGzip(account, bundle, upload.byteLength)
          yield* put(slots.bundle, upload)
          mayEnd.closeUnsafe()
          for (let time = 0; time < 8; time++) {
            const { atEnd, reads } = seen
            const broken = new AbortController()
            const answer = yield* Effect.forkChild(
              Effect.promise(() =>
                fetch(`${host.url}/api/v1/builds`, {
                  method: "POST",
                  headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
                  body: JSON.stringify({ operation: "finalize", token }),
                  signal: broken.signal
                }).then(
                  ({ status }) => status,
                  () => "broken off"
                )
              )
            )
            // A finalize waits at the end of what it reads, unless it was refused and reads nothing.
            yield* eventually(() => seen.atEnd > atEnd || answer.pollUnsafe() !== undefined)
            yield* aWhile
            broken.abort()
            assert.include([409, "broken off"], yield* Fiber.join(answer))
            yield* eventually(() => seen.open === 0)
            assert.isAtMost(seen.reads - reads, 1)
          }
          mayEnd.openUnsafe()
          const { reads } = seen
          assert.deepStrictEqual(yield* found(yield* finalize(account, token)), [tooMuch])
          assert.strictEqual(seen.reads, reads)
        }).pipe(Effect.ensuring(mayEnd.open))
      )

      it.effect(
        "a bomb that is finalized by many at once is decompressed by those at work, and by none that waited",
        function* () {
          const account = yield* newAccount()
          const { slots, token } = yield* reserveGzip(account, bundle, bomb.byteLength)
          yield* put(slots.bundle, bomb)
          const { begun } = seen
          const answers = yield* Effect.replicateEffect(finalize(account, token), 12, { concurrency: "unbounded" })
          for (const answer of answers) assert.deepStrictEqual(yield* found(answer), [tooMuch])
          assert.isAtMost(seen.begun - begun, 2)
        }
      )

      it.effect(
        "two finalizes of an account compute digests at once, its others wait, and another account's doesn't",
        () =>
          Effect.gen(function* () {
            const [account, other] = [yield* newAccount(), yield* newAccount()]
            const uploads = yield* Effect.forEach(
              [account, account, account, account, account, other],
              Effect.fnUntraced(function* (owner, n) {
                const { slots, token } = yield* reserve(owner, { commitSha: commit(n) })
                yield* put(slots.bundle, bundle)
                return { owner, token }
              })
            )
            const [last] = uploads.slice(-1)
            assert.isDefined(last)
            seen.mostOpen = 0
            mayRead.closeUnsafe()
            const working = yield* Effect.forEach(uploads.slice(0, -1), ({ owner, token }) =>
              Effect.forkChild(finalize(owner, token))
            )
            yield* eventually(() => seen.open === 2)
            yield* aWhile
            assert.strictEqual(seen.open, 2)
            const others = yield* Effect.forkChild(finalize(other, last.token))
            yield* eventually(() => seen.open === 3)
            yield* aWhile
            mayRead.openUnsafe()
            for (const fiber of [...working, others]) assert.strictEqual((yield* Fiber.join(fiber)).status, 201)
            assert.strictEqual(seen.mostOpen, 3)
          }).pipe(Effect.ensuring(mayRead.open))
      )
    }
  )
}
