/** The digest that S3 reports for an object, and the fallback if it reports none. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { refuse, scriptedStore, type Script } from "./testing/scripted.ts"

const content = "x".repeat(300_000)
const digestOf = (encoding: "base64" | "hex") => createHash("sha256").update(content).digest(encoding)
const facts = { sizeBytes: content.length, contentType: "text/plain" }

/** A store that copies, tells this of its copies, and refuses copies with a checksum on request. */
const storeThatTells =
  (checksum: string | undefined, refused?: { readonly status: number; readonly code: string }): Script =>
  ({ headers, method }, response) => {
    if (method === "PUT") {
      if (refused !== undefined && headers["x-amz-checksum-algorithm"] !== undefined) {
        return refuse(response, refused.status, refused.code)
      }
      const reported = checksum === undefined ? "" : `<ChecksumSHA256>${checksum}</ChecksumSHA256>`
      return void response.end(`<CopyObjectResult><ETag>"e"</ETag>${reported}</CopyObjectResult>`)
    }
    response.writeHead(200, {
      "content-type": "text/plain",
      "content-length": content.length,
      ...(checksum === undefined || headers["x-amz-checksum-mode"] !== "ENABLED"
        ? {}
        : { "x-amz-checksum-sha256": checksum })
    })
    response.end(method === "HEAD" ? undefined : content)
  }

const examined = Effect.fnUntraced(function* (script: Script) {
  const { sent, store } = yield* scriptedStore(script)
  yield* store.promote("uploads/a", "hosted/a")
  const reported = yield* store.examine?.("hosted/a") ?? Effect.die("it examines nothing")
  return { reported, sent, store }
})

describe("an object that S3 examines", () => {
  it.live("is not read where the store has computed the checksum of the copy", () =>
    Effect.gen(function* () {
      const { sent, reported } = yield* examined(storeThatTells(digestOf("base64")))
      assert.deepStrictEqual(reported, { ...facts, contentHash: digestOf("hex") })
      assert.strictEqual(sent[0]?.headers["x-amz-checksum-algorithm"], "SHA256")
      assert.deepStrictEqual(
        sent.map(({ method }) => method),
        ["PUT", "HEAD"]
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["tells no checksum", undefined],
    ["tells a checksum of the checksums of its parts", `${digestOf("base64")}-2`],
    ["tells what is no SHA-256", "AAAA"]
  ])("is read beside the event loop where the store %s", ([, checksum]) =>
    Effect.gen(function* () {
      const { sent, reported } = yield* examined(storeThatTells(checksum))
      assert.deepStrictEqual(reported, { ...facts, contentHash: digestOf("hex") })
      assert.strictEqual(sent.at(-1)?.method, "GET")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    { status: 400, code: "InvalidArgument" },
    { status: 501, code: "NotImplemented" }
  ])("is copied without a checksum by a store that refuses one ($status), which isn't asked again", (refused) =>
    Effect.gen(function* () {
      const { sent, store, reported } = yield* examined(storeThatTells(undefined, refused))
      assert.deepStrictEqual(reported, { ...facts, contentHash: digestOf("hex") })
      yield* store.promote("uploads/b", "hosted/b")
      const copies = sent.filter(({ method }) => method === "PUT")
      assert.deepStrictEqual(
        copies.map(({ headers }) => headers["x-amz-checksum-algorithm"]),
        ["SHA256", undefined, undefined]
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["is gzip", { "content-type": "text/plain", "content-encoding": "gzip", "content-length": 5 }, "hello"],
    ["ends too early", { "content-type": "text/plain", "content-length": 10 }, "hello"]
  ] as const)("is not reported if it %s", ([, headers, body]) =>
    Effect.gen(function* () {
      const { reported } = yield* examined(({ method }, response) => {
        if (method === "PUT") return void response.end("<CopyObjectResult></CopyObjectResult>")
        response.writeHead(200, headers)
        response.write(body, () => response.destroy())
      })
      assert.isUndefined(reported)
    }).pipe(Effect.scoped)
  )

  it.live("is not reported if the store refuses to return it", () =>
    Effect.gen(function* () {
      const { reported } = yield* examined((sent, response) =>
        sent.method === "PUT"
          ? void response.end("<CopyObjectResult></CopyObjectResult>")
          : refuse(response, 403, "AccessDenied")
      )
      assert.isUndefined(reported)
    }).pipe(Effect.scoped)
  )
})
