/** What each case of finalize answers, and the state it leaves. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { gzipSync } from "node:zlib"
import { testEngines } from "./testing/engines.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import {
  asProblem,
  asRow,
  bundle,
  bytes,
  commit,
  data,
  declaredFiles,
  finalize,
  latest,
  put,
  read,
  readyBuild,
  reserve,
  sha256,
  style,
  type Account
} from "./testing/uploads.ts"

/** Finalizes, expecting `upload_incomplete`, and answers which objects it names. */
const mismatches = Effect.fnUntraced(function* (account: Account, token: string) {
  const answer = yield* finalize(account, token)
  assert.strictEqual(answer.status, 409, answer.text)
  const problem = yield* asProblem(answer.json)
  assert.strictEqual(problem._tag, "UploadIncomplete")
  return problem._tag === "UploadIncomplete" ? problem.objects : []
})

const status = Effect.fnUntraced(function* (account: Account, id: string) {
  return (yield* asRow((yield* read(account, id)).json)).status
})

const decompressedBytes = 1_000_000

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { decompressedBytes }))(
    `finalize on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect(
        "names each missing object; the reservation stays open and the same token finalizes after its PUT",
        () =>
          Effect.gen(function* () {
            const account = yield* newAccount()
            const { id, slots, token } = yield* reserve(account, { files: declaredFiles })
            const [css, json] = slots.files
            yield* put(css!, style)
            assert.deepStrictEqual(yield* mismatches(account, token), [
              {
                objectKey: slots.bundle.objectKey,
                reason: "missing",
                expected: bundle.byteLength,
                actual: null
              },
              {
                objectKey: json!.objectKey,
                path: "data.json",
                reason: "missing",
                expected: data.byteLength,
                actual: null
              }
            ])
            assert.strictEqual(yield* status(account, id), "uploading")
            yield* put(slots.bundle, bundle)
            yield* put(json!, data)
            assert.strictEqual((yield* finalize(account, token)).status, 201)
          })
      )

      it.effect("a wrong digest is reported with the one found, and finalizes after a PUT of the right bytes", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const wrong = bytes("x".repeat(bundle.byteLength))
          const { id, slots, token } = yield* reserve(account)
          yield* put(slots.bundle, wrong)
          assert.deepStrictEqual(yield* mismatches(account, token), [
            {
              objectKey: slots.bundle.objectKey,
              reason: "digest_mismatch",
              expected: sha256(bundle),
              actual: sha256(wrong)
            }
          ])
          assert.strictEqual(yield* status(account, id), "uploading")
          yield* put(slots.bundle, bundle)
          assert.strictEqual((yield* finalize(account, token)).status, 201)
        })
      )

      it.effect("a PUT of a wrong size or type stores nothing, so finalize reports the object as missing", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const { slots, token } = yield* reserve(account)
          yield* put(slots.bundle, bundle.slice(2))
          yield* put({ ...slots.bundle, contentType: "text/html" }, bundle)
          assert.deepStrictEqual(
            (yield* mismatches(account, token)).map(({ reason }) => reason),
            ["missing"]
          )
        })
      )

      it.effect("a file without a declared digest is checked by its size only", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const { slots, token } = yield* reserve(account, { files: [declaredFiles[1]] })
          yield* put(slots.bundle, bundle)
          yield* put(slots.files[0]!, bytes('{"answer":43}\n'))
          assert.strictEqual((yield* finalize(account, token)).status, 201)
        })
      )

      it.effect("an expired token is answered 410 and the build stays unchanged", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const { id, slots, token } = yield* reserve(account)
          yield* put(slots.bundle, bundle)
          yield* TestClock.adjust("1 hour")
          const answer = yield* finalize(account, token)
          assert.strictEqual(answer.status, 410)
          assert.strictEqual((yield* asProblem(answer.json)).code, "reservation_expired")
          assert.strictEqual(yield* status(account, id), "expired")
        })
      )

      it.effect("another account's token and an unknown one are not_found and change nothing", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const other = yield* newAccount()
          const { id, slots, token } = yield* reserve(account)
          yield* put(slots.bundle, bundle)
          for (const answer of [yield* finalize(other, token), yield* finalize(account, "unknown")]) {
            assert.strictEqual(answer.status, 404)
            assert.strictEqual((yield* asProblem(answer.json)).code, "not_found")
          }
          assert.strictEqual(yield* status(account, id), "uploading")
        })
      )

      it.effect("the same token gets the same 201 again, even after it expired and after a newer upload", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const { answer, reservation, row } = yield* readyBuild(account)
          assert.strictEqual((yield* finalize(account, reservation.token)).text, answer.text)
          const newer = yield* reserve(account, { contentHash: sha256(style), bundleSizeBytes: style.byteLength })
          yield* put(newer.slots.bundle, style)
          const second = yield* finalize(account, newer.token)
          yield* TestClock.adjust("2 hours")
          const again = yield* finalize(account, reservation.token)
          assert.strictEqual(again.status, 201)
          assert.strictEqual(again.text, answer.text)
          assert.strictEqual((yield* read(account, row.id)).text, second.text)
        })
      )

      it.effect("one token finalized by sixteen at once gives sixteen equal answers", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const { id, slots, token } = yield* reserve(account, { files: declaredFiles })
          yield* put(slots.bundle, bundle)
          yield* put(slots.files[0]!, style)
          yield* put(slots.files[1]!, data)
          const answers = yield* Effect.all(
            Array.from({ length: 16 }, () => finalize(account, token)),
            {
              concurrency: "unbounded"
            }
          )
          const first = answers[0]!
          for (const answer of answers) {
            assert.strictEqual(answer.status, 201, answer.text)
            assert.strictEqual(answer.text, first.text)
          }
          assert.strictEqual((yield* read(account, id)).text, first.text)
        })
      )

      it.effect("thirty concurrent uploads of one identity make one build, which shows the last one finalized", () =>
        Effect.gen(function* () {
          const account = yield* newAccount()
          const contents = Array.from({ length: 30 }, (_, n) => bytes(`upload number ${n}`))
          const reserved = yield* Effect.forEach(
            contents,
            (content) => reserve(account, { contentHash: sha256(content), bundleSizeBytes: content.byteLength }),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(reserved.map(({ id }) => id)).size, 1)
          assert.strictEqual(new Set(reserved.map(({ token }) => token)).size, 30)
          yield* Effect.forEach(reserved, ({ slots }, n) => put(slots.bundle, contents[n]!), { concurrency: 8 })
          const answers = yield* Effect.forEach(reserved, ({ token }) => finalize(account, token), {
            concurrency: "unbounded"
          })
          for (const [n, answer] of answers.entries()) {
            assert.strictEqual(answer.status, 201, answer.text)
            assert.strictEqual((yield* asRow(answer.json)).contentHash, sha256(contents[n]!))
          }
          const shown = (yield* read(account, reserved[0]!.id)).text
          assert.include(
            answers.map(({ text }) => text),
            shown
          )
          const last = yield* finalize(account, reserved[7]!.token)
          assert.strictEqual(last.text, answers[7]!.text)
          assert.strictEqual((yield* read(account, reserved[0]!.id)).text, shown)
        })
      )

      it.effect("a PUT to a URL that is still valid after finalize changes nothing that is hosted", () =>
        Effect.gen(function* () {
          const host = yield* TestHost
          const account = yield* newAccount()
          const { answer, reservation, row } = yield* readyBuild(account)
          const other = bytes("y".repeat(bundle.byteLength))
          const late = yield* put(reservation.slots.bundle, other)
          assert.strictEqual(late.status, engines.objects === "S3" ? 200 : 403)
          assert.strictEqual((yield* finalize(account, reservation.token)).text, answer.text)
          assert.strictEqual((yield* read(account, row.id)).text, answer.text)
          assert.strictEqual(yield* host.hostedBundle(account.key, row.id), new TextDecoder().decode(bundle))
        })
      )

      it.effect("after a failed finalize and another PUT, the next finalize verifies the bytes stored then", () =>
        Effect.gen(function* () {
          const host = yield* TestHost
          const account = yield* newAccount()
          const { id, slots, token } = yield* reserve(account)
          yield* put(slots.bundle, bundle)
          yield* put(slots.bundle, bytes("z".repeat(bundle.byteLength)))
          assert.deepStrictEqual(
            (yield* mismatches(account, token)).map(({ reason }) => reason),
            ["digest_mismatch"]
          )
          yield* put(slots.bundle, bundle)
          assert.strictEqual((yield* finalize(account, token)).status, 201)
          assert.strictEqual(yield* host.hostedBundle(account.key, id), new TextDecoder().decode(bundle))
        })
      )

      for (const [how, headers, contentType] of [
        ["content type", {}, "application/gzip"],
        ["content encoding", { "content-encoding": "gzip" }, "text/javascript"]
      ] as const) {
        it.effect(`gzip by ${how}: the digest is that of the decompressed bytes`, () =>
          Effect.gen(function* () {
            const account = yield* newAccount()
            const plain = bytes("const a = 1\n".repeat(20_000))
            const packed = new Uint8Array(gzipSync(plain))
            const { slots, token } = yield* reserve(account, {
              contentHash: sha256(plain),
              bundleSizeBytes: packed.byteLength,
              bundleContentType: contentType
            })
            assert.strictEqual((yield* put(slots.bundle, packed, headers)).status, 200)
            const answer = yield* finalize(account, token)
            assert.strictEqual(answer.status, 201, answer.text)
          })
        )

        it.effect(`gzip by ${how}: decompression stops at the bound, and invalid gzip is reported`, () =>
          Effect.gen(function* () {
            const account = yield* newAccount()
            const bomb = new Uint8Array(gzipSync(new Uint8Array(50 * decompressedBytes)))
            const contents = [
              [bomb, `decompresses to more than ${decompressedBytes} bytes`],
              [bytes("this is no gzip at all"), "not valid gzip"],
              [new Uint8Array(gzipSync(bundle)).slice(0, -4), "not valid gzip"]
            ] as const
            for (const [n, [content, actual]] of contents.entries()) {
              const { slots, token } = yield* reserve(account, {
                commitSha: commit(100 + n),
                bundleSizeBytes: content.byteLength,
                bundleContentType: contentType
              })
              yield* put(slots.bundle, content, headers)
              const found = yield* mismatches(account, token)
              assert.deepStrictEqual(
                found.map(({ actual, reason }) => ({ actual, reason })),
                [{ actual, reason: "digest_mismatch" }]
              )
            }
          })
        )
      }

      it.effect("finalizing is not_found while the repository is unlinked, and works after it is linked again", () =>
        Effect.gen(function* () {
          const host = yield* TestHost
          const account = yield* newAccount()
          const { slots, token } = yield* reserve(account)
          yield* put(slots.bundle, bundle)
          const link = { account: account.name, owner: account.owner, repo: account.repo }
          yield* host.admin.unlinkRepository(link)
          assert.strictEqual((yield* finalize(account, token)).status, 404)
          yield* host.admin.linkRepository(link)
          assert.strictEqual((yield* finalize(account, token)).status, 201)
          assert.strictEqual((yield* latest(account)).status, 200)
        })
      )
    }
  )
}
