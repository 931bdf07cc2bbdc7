/** Properties of requests that no store in the tests checks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { Unavailable } from "../../core/model/Problem.ts"
import { withLogLines } from "./testing/logLines.ts"
import { scriptedStore } from "./testing/scripted.ts"

const keys = Array.from({ length: 2500 }, (_, index) => `uploads/${index}`)

describe("requests to a store", () => {
  it.effect("delete a thousand objects each, with the checksum that every store supports", () =>
    Effect.gen(function* () {
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
  )

  it.effect("copy an object by name with its type and encoding", () =>
    Effect.gen(function* () {
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
  )

  it.effect("continue a listing where the last page ended, and names that are no keys are left out", () =>
    Effect.gen(function* () {
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
  )

  it.effect("of a check list one name below the prefix, however many there are", () =>
    Effect.gen(function* () {
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
  )

  it.effect("for a range are answered with that range, or not at all", () =>
    Effect.gen(function* () {
      const { sent, store } = yield* scriptedStore((_, response) => {
        response.writeHead(200, { "content-type": "text/plain", "content-length": "10" })
        response.end("0123456789")
      })
      const read = (...range: Parameters<typeof store.read> extends [string, ...infer Range] ? Range : never) =>
        Effect.scoped(store.read("uploads/a", ...range))
      const { lines, result } = yield* withLogLines(Effect.flip(read({ offset: 2, length: 3 })))
      assert.strictEqual(result, Unavailable.answer)
      assert.match(lines.join("\n"), /GetObject: 200 other bytes than were asked for/)
      assert.strictEqual(sent[0]?.headers.range, "bytes=2-4")
      assert.deepInclude(yield* read({ offset: 0 }), { offset: 0, length: 10, sizeBytes: 10 })
      assert.deepInclude(yield* read(), { offset: 0, length: 10, sizeBytes: 10 })
    })
  )
})
