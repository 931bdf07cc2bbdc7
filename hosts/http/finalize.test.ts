/** What each case of finalize answers, and the state it leaves. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
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
  reserve,
  sha256,
  style,
  type Account
} from "./testing/uploads.ts"
import { layer } from "../../core/testing/layer.ts"

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
        function* () {
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
        }
      )

      it.effect(
        "a wrong digest is reported with the one found, and finalizes after a PUT of the right bytes",
        function* () {
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
        }
      )

      it.effect("a file without a declared digest is checked by its size only", function* () {
        const account = yield* newAccount()
        const { slots, token } = yield* reserve(account, { files: [declaredFiles[1]] })
        yield* put(slots.bundle, bundle)
        yield* put(slots.files[0]!, bytes('{"answer":43}\n'))
        assert.strictEqual((yield* finalize(account, token)).status, 201)
      })

      for (const [how, headers, contentType] of [
        ["content type", {}, "application/gzip"],
        ["content encoding", { "content-encoding": "gzip" }, "text/javascript"]
      ] as const) {
        it.effect(`gzip by ${how}: the digest is that of the decompressed bytes`, function* () {
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

        it.effect(`gzip by ${how}: decompression stops at the bound, and invalid gzip is reported`, function* () {
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
      }

      it.effect(
        "finalizing is not_found while the repository is unlinked, and works after it is linked again",
        function* () {
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
        }
      )
    }
  )
}
