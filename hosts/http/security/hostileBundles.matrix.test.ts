/**
 * Bundles and files that try to be more than files: they are served byte for byte and isolated, and pages show their
 * names as plain text.
 */
import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { Effect, Schema } from "effect"
import { gunzipSync } from "node:zlib"
import { PreviewMetadata, ReservePreviewResponse } from "../../../core/api/previews.ts"
import { ContentType, FilePath } from "../../../core/model/Artifact.ts"
import { isGzip } from "../../../core/rules/verification.ts"
import { shownType } from "../../viewer/content/sendObject.ts"
import { frameOf, signIn } from "../../viewer/testing/visit.ts"
import { embedded } from "../testing/engines.ts"
import { layer } from "../../../core/testing/layer.ts"
import { uploader } from "../testing/previews.ts"
import { TestHost } from "../testing/TestHost.ts"
import { sha256 } from "../testing/uploads.ts"
import { contents, encodings, paths, types } from "./testing/hostileFiles.ts"
import { looseEnds } from "./testing/html.ts"
import { seed } from "./testing/seed.ts"
import { faultsOf } from "./testing/sound.ts"
import { send, shownResponse, wire, type WireResponse } from "./testing/wire.ts"

/**
 * How many files are uploaded to each set of engines: each content, path and type at least once, combined with random
 * others.
 */
const uploads = 240

const Hostile = Schema.Struct({
  content: Schema.Literals(Object.keys(contents)),
  path: Schema.Literals(paths),
  type: Schema.Literals(types),
  encoding: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: encodings.length - 1 }))
})
type Hostile = typeof Hostile.Type

const hostiles = Effect.map(Arbitrary.sampleEffect(Arbitrary.schema(Hostile), { count: uploads, seed }), (sampled) =>
  sampled.map((one, index): Hostile => {
    const names = Object.keys(contents)
    return {
      content: names[index] ?? one.content,
      path: paths[index] ?? (one.path.isWellFormed() ? one.path : "a"),
      // Paths and types that can't be declared are refused, so they are not combined at random.
      type: types[index - paths.length] ?? (index < paths.length || index % 2 === 0 ? "text/html" : one.type),
      encoding: one.encoding
    }
  })
)

const isPath = Schema.is(FilePath)
const isType = Schema.is(ContentType)
const asReservation = Schema.decodeUnknownEffect(Schema.fromJsonString(ReservePreviewResponse))
const asMetadata = Schema.decodeUnknownEffect(Schema.fromJsonString(PreviewMetadata))

/** Every header that an answer with uploaded content may have. */
const known = new Set([
  "accept-ranges",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "cache-control",
  "connection",
  "connection-allowlist",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-security-policy",
  "content-type",
  "cross-origin-resource-policy",
  "date",
  "etag",
  "keep-alive",
  "referrer-policy",
  "transfer-encoding",
  "x-content-type-options",
  "x-request-id"
])

/** Headers that may be added if a host sends them with every answer. */
const harmlessBeside =
  /^(?:strict-transport-security|permissions-policy|cross-origin-[\w-]+|origin-agent-cluster|vary|x-dns-prefetch-control|x-frame-options)$/

const assertIsolated = ({ headers }: WireResponse, what: string): void => {
  assert.match(String(headers["content-security-policy"]), /^sandbox(?: allow-scripts)?; default-src 'none'/, what)
  assert.strictEqual(headers["x-content-type-options"], "nosniff", what)
  assert.strictEqual(headers["cross-origin-resource-policy"], "cross-origin", what)
  assert.strictEqual(headers["referrer-policy"], "no-referrer", what)
  assert.strictEqual(headers["cache-control"], "private, no-store", what)
  assert.isUndefined(headers["set-cookie"], what)
  assert.deepStrictEqual(
    Object.keys(headers).filter((name) => !known.has(name) && !harmlessBeside.test(name)),
    [],
    what
  )
}

const assertServed = (answer: WireResponse, content: Uint8Array, type: string, what: string): void => {
  assert.strictEqual(answer.status, 200, `${what}: ${shownResponse(answer)}`)
  assert.strictEqual(sha256(answer.body), sha256(content), what)
  assertIsolated(answer, what)
  assert.strictEqual(answer.headers["content-type"], type, what)
  assert.match(
    String(answer.headers["content-disposition"]),
    /^(?:inline|attachment); filename="[^"\\\p{Cc}]{1,150}"(?:; filename\*=UTF-8''[\w.~%-]+)?$/u,
    what
  )
}

/** The declared digest of a bundle; for gzip, the digest of the decompressed content. */
const digestOf = (content: Uint8Array, type: string, encoding: string | undefined): string => {
  if (!isGzip(type, encoding)) return sha256(content)
  try {
    return sha256(gunzipSync(content))
  } catch {
    return sha256(content)
  }
}

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

layer(TestHost.layer(embedded()))("hostile files", (it) => {
  it.effect("come back as they were uploaded, isolated, or are refused by name", function* () {
    const { url } = yield* TestHost
    const { key } = yield* uploader
    const cookie = yield* signIn(key)
    const outcomes = { served: 0, refused: 0, unverified: 0 }

    const upload = Effect.fnUntraced(function* ({ content: name, encoding: at, path, type }: Hostile) {
      const what = JSON.stringify({ name, path, type, encoding: encodings[at] })
      const content = contents[name]!
      // A bundle must not be empty.
      const bundle = content.byteLength === 0 ? Buffer.from(" ") : content
      const reserved = yield* send(
        url,
        wire("POST", "/api/v1/previews", {
          key,
          json: {
            contentHash: digestOf(bundle, type, encodings[at]),
            bundleSizeBytes: bundle.byteLength,
            bundleContentType: isType(type) ? type : "text/javascript",
            files: [{ path, sizeBytes: content.byteLength, contentType: type }],
            recordings: [
              {
                name: isPath(path) ? path : "a",
                kind: "other",
                sizeBytes: content.byteLength,
                contentType: "text/plain"
              }
            ]
          }
        })
      )
      if (!isPath(path) || !isType(type)) {
        assert.strictEqual(reserved.status, 400, what)
        assert.include(reserved.text, isPath(path) ? '"files.0.contentType"' : '"files.0.path"', what)
        outcomes.refused += 1
        return
      }
      assert.strictEqual(reserved.status, 201, `${what}: ${reserved.text}`)
      const { shareId, slots, token } = yield* asReservation(reserved.text)
      let stored = encodings[at]
      for (const slot of [slots.bundle, ...slots.files, ...slots.recordings]) {
        const put = (more: Record<string, string>) =>
          send(
            url,
            wire("PUT", slot.putUrl.slice(url.length), {
              headers: { "content-type": slot.contentType, ...more },
              body: slot === slots.bundle ? bundle : content
            })
          )
        const answer = yield* put(stored === undefined ? {} : { "content-encoding": stored })
        if (answer.status === 400) {
          assert.include(answer.text, '"content-encoding"', what)
          stored = undefined
          assert.strictEqual((yield* put({})).status, 200, what)
        } else assert.strictEqual(answer.status, 200, `${what}: ${answer.text}`)
      }
      const finalized = yield* send(url, wire("POST", "/api/v1/previews/finalize", { key, json: { token } }))
      if (finalized.status === 409) {
        // Content declared as gzip that isn't gzip has no digest.
        assert.isTrue(isGzip(type, stored), `${what}: ${finalized.text}`)
        assert.include(finalized.text, '"digest_mismatch"', what)
        outcomes.unverified += 1
        return
      }
      assert.strictEqual(finalized.status, 201, `${what}: ${finalized.text}`)
      assert.strictEqual((yield* asMetadata(finalized.text)).files[0]?.path, path)

      const page = yield* send(url, wire("GET", `/previews/${shareId}`, { cookie }))
      assert.deepStrictEqual(faultsOf([])(wire("GET", `/previews/${shareId}`), page), [], what)
      const led = yield* send(url, wire("GET", `/previews/${shareId}/bundle`, { key }))
      const objects = String(led.headers.location).replace(/bundle$/, "")
      const replay = frameOf(page.text)
      const get = (target: string) => send(url, wire("GET", target))
      const shown = shownType(type, path)
      assertServed(yield* get(`${objects}files/${encoded(path)}`), content, shown, what)
      assertServed(yield* get(`${objects}bundle`), bundle, shownType(type, "index.js"), what)
      assertServed(yield* get(`${objects}recordings/0`), content, "text/plain", what)
      if (path !== "index.js") assertServed(yield* get(replay + encoded(path)), content, shown, what)
      const running = yield* get(replay)
      assert.strictEqual(running.status, 200, what)
      assertIsolated(running, what)
      const entry = yield* get(`${replay}index.js`)
      assert.strictEqual(sha256(entry.body), sha256(bundle), what)
      assertIsolated(entry, what)
      assert.match(String(entry.headers["content-type"]), /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/, what)
      for (const view of [`path=${encodeURIComponent(path)}`, "recording=0"]) {
        const answer = yield* send(url, wire("GET", `/previews/${shareId}/view?${view}`, { cookie }))
        assert.strictEqual(answer.status, 200, what)
        assert.deepStrictEqual(looseEnds(answer.text), [], what)
      }
      outcomes.served += 1
    })

    for (const one of yield* hostiles) yield* upload(one)
    assert.isAbove(outcomes.served, 100)
    assert.isAbove(outcomes.refused, 10)
    process.stdout.write(`hostile files: ${JSON.stringify(outcomes)}\n`)
  })
})
