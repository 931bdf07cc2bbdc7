/** How an uploaded file is served for each purpose that a browser gives (`Sec-Fetch-Dest`), over real HTTP. */
import { assert, describe } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { gzipSync } from "node:zlib"
import { it, layer } from "../../../core/testing/layer.ts"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import { RangeNotSatisfiable } from "../../../core/model/Problem.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { uploadPreview } from "../testing/previews.ts"
import { frameOf, objectsOf, signIn, visit } from "../testing/visit.ts"
import { beginning } from "./beginning.ts"
import { attachmentAs, inlineAs, isSavedAsPage, shownType } from "./sendObject.ts"

const files = [
  { path: "page.html", contentType: "text/html", sizeBytes: 1 },
  { path: "page.xhtml", contentType: "application/xhtml+xml", sizeBytes: 1 },
  { path: "sail.svg", contentType: "image/svg+xml", sizeBytes: 1 },
  { path: "feed", contentType: "application/xml", sizeBytes: 1 },
  { path: "sail.png", contentType: "image/png", sizeBytes: 1 },
  { path: "notes.txt", contentType: "text/plain; charset=utf-8", sizeBytes: 1 }
] as const

/** The paths of a preview with these files: where it runs, and where its uploaded objects are. */
const uploaded = Effect.gen(function* () {
  const { key } = yield* newAccount(["preview_upload"])
  const recordings = [{ name: "shot.png", kind: "screenshot", contentType: "image/png", sizeBytes: 1 }]
  const content = { files: files.map(() => bytes("x")), recordings: [bytes("x")] }
  const preview = yield* uploadPreview({ key }, { files, recordings }, content)
  const { text } = yield* visit("GET", `/previews/${preview.shareId}`, { cookie: yield* signIn(key) })
  return { replay: frameOf(text), objects: objectsOf(text) }
})

const askedFor = (path: string, destination: string | undefined) =>
  visit("GET", path, { headers: destination === undefined ? {} : { "sec-fetch-dest": destination } })

const wayOf = (headers: Headers): string => headers.get("content-disposition")?.split(";")[0] ?? "none"

layer(TestHost.layer(inMemory))("what is asked for as", (it) => {
  it.effect("the index document of a replay runs in a frame only", function* () {
    const { replay } = yield* uploaded
    for (const destination of [undefined, "iframe"]) {
      const { status, text } = yield* askedFor(replay, destination)
      assert.strictEqual(status, 200, destination)
      // A script loads the bundle, and first checks that the document is in a frame.
      assert.include(text, `<script data-script='<script src="./index.js" `)
      assert.notMatch(text, /(?<!data-script=')<script src="\.\/index\.js"/)
    }
    for (const destination of ["document", "frame", "embed", "object", "empty", "script", "fencedframe", ""]) {
      const { headers, status } = yield* askedFor(replay, destination)
      assert.strictEqual(status, 403, destination)
      assert.match(headers.get("content-security-policy") ?? "", /^sandbox/)
    }
  })

  it.effect("a file of a replay can't be opened as a page", function* () {
    const { replay } = yield* uploaded
    for (const { path } of files) {
      assert.strictEqual((yield* askedFor(replay + path, "document")).status, 403, path)
      const unsaid = yield* askedFor(replay + path, undefined)
      const isPlain = path === "sail.png" || path === "notes.txt"
      assert.strictEqual(unsaid.status, 200, path)
      assert.strictEqual(wayOf(unsaid.headers), isPlain ? "inline" : "attachment", path)
      for (const part of ["image", "empty", "iframe"]) {
        assert.strictEqual(wayOf((yield* askedFor(replay + path, part)).headers), "inline", `${path} as ${part}`)
      }
    }
  })

  it.effect("a file as it was uploaded is saved, unless it is plain or part of a page", function* () {
    const { objects } = yield* uploaded
    for (const { path } of files) {
      const isPlain = path === "sail.png" || path === "notes.txt"
      for (const page of [undefined, "document"]) {
        const { headers, status } = yield* askedFor(`${objects}files/${path}`, page)
        assert.strictEqual(status, 200, path)
        assert.strictEqual(wayOf(headers), isPlain ? "inline" : "attachment", `${path} as ${page}`)
      }
      for (const part of ["image", "video", "empty", "embed"]) {
        const { headers } = yield* askedFor(`${objects}files/${path}`, part)
        assert.strictEqual(wayOf(headers), "inline", `${path} as ${part}`)
      }
    }
  })
})

describe("a type that is saved where it would be a page", () => {
  it.for([
    ["text/html", true],
    ["TEXT/HTML; charset=utf-7", true],
    ["text/xml", true],
    ["text/xsl", true],
    ["text/plainer", true],
    ["image/svg+xml", true],
    ["image/svg+xml; charset=utf-8", true],
    ["audio/x+XML", true],
    ["application/pdf", true],
    ["application/json+xml", true],
    ["application/octet-stream", true],
    ["x/x", true],
    ["text/plain", false],
    ["text/css", false],
    ["text/javascript; charset=utf-8", false],
    ["application/x-javascript", false],
    ["application/json", false],
    ["application/x-ndjson", false],
    ["Image/WebP", false],
    ["video/mp4; codecs=avc1", false],
    ["audio/ogg", false],
    ["font/woff2", false]
  ] as const)("%s: %s", ([contentType, isSaved]) => {
    for (const destination of [undefined, "document"])
      assert.strictEqual(isSavedAsPage(contentType, destination), isSaved)
    assert.isFalse(isSavedAsPage(contentType, "image"))
  })
})

describe("the type as which an object is shown", () => {
  it.for([
    ["video/webm", "film.mp4", "video/webm"],
    ["application/octet-stream", "film.MP4", "video/mp4"],
    ["application/octet-stream", "a.b/photo.jpg", "image/jpeg"],
    ["binary/octet-stream", "shot.png", "image/png"],
    ["Application/Octet-Stream; charset=x", "shot.gif", "image/gif"],
    ["application/octet-stream", "page.html", "application/octet-stream"],
    ["application/octet-stream", "png", "image/png"],
    ["application/octet-stream", "x.constructor", "application/octet-stream"],
    ["application/octet-streams", "x.png", "application/octet-streams"],
    ["application/octet-stream", "", "application/octet-stream"],
    ["multipart/x-mixed-replace; boundary=x", "shot.png", "application/octet-stream"],
    ["Multipart/Related", "page.mhtml", "application/octet-stream"],
    ["message/rfc822", "page.mht", "application/octet-stream"],
    ["application/signed-exchange;v=b3", "page.sxg", "application/octet-stream"],
    ["application/pdf", "report.pdf", "application/pdf"]
  ] as const)("%s of %s is %s", ([declared, name, shown]) => {
    assert.strictEqual(shownType(declared, name), shown)
  })
})

describe("the name under which an object is saved", () => {
  it.for([
    ["film.mp4", 'inline; filename="film.mp4"'],
    ["recordings/of today/film.mp4", 'inline; filename="film.mp4"'],
    ["film 🎬.mp4", `inline; filename="film _.mp4"; filename*=UTF-8''film%20%F0%9F%8E%AC.mp4`],
    ["50% (it's).txt", `inline; filename="50_ (it's).txt"; filename*=UTF-8''50%25%20%28it%27s%29.txt`],
    ["photo\u202egnp.exe", 'inline; filename="photo_gnp.exe"'],
    ['a"; filename="b.exe', 'inline; filename="a_; filename=_b.exe"'],
    ["a\r\nset-cookie: b", 'inline; filename="a_set-cookie_ b"'],
    ["..\\..\\boot.ini", 'inline; filename="_.._boot.ini"'],
    [" .profile. ", 'inline; filename="profile"'],
    ["...", 'inline; filename="file"'],
    ["", 'inline; filename="file"'],
    ["\ud800.txt", 'inline; filename="_.txt"'],
    [`${"W".repeat(1000)}.webm`, `inline; filename="${"W".repeat(145)}.webm"`]
  ] as const)("%j", ([name, header]) => {
    assert.strictEqual(inlineAs(name), header)
    assert.strictEqual(attachmentAs(name), header.replace("inline", "attachment"))
  })
})

const text = "0123456789".repeat(1000)

/** Opens an object in memory, and counts the bytes that are read. */
const opener = (content: Uint8Array, contentType: string, contentEncoding?: string) => {
  const count = { read: 0 }
  const open = (range: ByteRange) => {
    const length = Math.min("length" in range ? (range.length ?? 0) : 0, content.byteLength)
    if (length === 0) {
      return Effect.fail(new RangeNotSatisfiable({ detail: "The object has 0 bytes.", sizeBytes: 0 }))
    }
    const stream = Stream.suspend(() => {
      count.read += length
      return Stream.make(content.subarray(0, length))
    })
    const encoding = contentEncoding === undefined ? {} : { contentEncoding }
    return Effect.succeed({ sizeBytes: content.byteLength, offset: 0, length, contentType, ...encoding, stream })
  }
  return { count, open }
}

const streamed = (content: string) => new TextEncoder().encode(content)
const textOf = (content: Uint8Array) => new TextDecoder().decode(content)

describe("the beginning of an object", () => {
  it.effect("is its first bytes, without reading more", function* () {
    const { count, open } = opener(streamed(text), "text/plain")
    const found = yield* beginning(open, 25)
    assert.strictEqual(textOf(found.bytes), text.slice(0, 25))
    assert.isFalse(found.isWhole)
    assert.strictEqual(count.read, 25)
  })

  it.effect("is all of it where there is no more", function* () {
    const { open } = opener(streamed("abc"), "text/plain")
    assert.isTrue((yield* beginning(open, 3)).isWhole)
    assert.isTrue((yield* beginning(open, 4)).isWhole)
    assert.isFalse((yield* beginning(open, 2)).isWhole)
  })

  it.effect("is empty for an empty object", function* () {
    const found = yield* beginning(opener(new Uint8Array(), "text/plain").open, 10)
    assert.strictEqual(found.bytes.byteLength, 0)
    assert.isTrue(found.isWhole)
  })

  it.effect("of gzip is decompressed, even if the gzip is cut off", function* () {
    const noise = Array.from({ length: 20_000 }, (_, n) => ((n * 2_654_435_761) % 4096).toString(36)).join(" ")
    for (const [type, encoding] of [["application/gzip"], ["text/plain", "gzip"]] as const) {
      const whole = yield* beginning(opener(gzipSync(text), type, encoding).open, 20_000)
      assert.strictEqual(textOf(whole.bytes), text)
      assert.isTrue(whole.isWhole)
      const cut = yield* beginning(opener(gzipSync(text), type, encoding).open, 1000)
      assert.strictEqual(textOf(cut.bytes), text.slice(0, 1000))
      assert.isFalse(cut.isWhole)
      const packed = yield* beginning(opener(gzipSync(noise), type, encoding).open, 5000)
      assert.strictEqual(packed.bytes.byteLength, 5000)
      assert.strictEqual(textOf(packed.bytes), noise.slice(0, 5000))
      assert.isFalse(packed.isWhole)
    }
  })

  it.effect("of content wrongly declared as gzip is what could be read", function* () {
    const found = yield* beginning(opener(streamed("plain"), "text/plain", "gzip").open, 10)
    assert.strictEqual(textOf(found.bytes), "plain")
  })

  it.effect("is not plain with another content encoding", function* () {
    assert.isFalse((yield* beginning(opener(streamed("x"), "text/plain", "br").open, 10)).isPlain)
    assert.isTrue((yield* beginning(opener(streamed("x"), "text/plain", "identity").open, 10)).isPlain)
    assert.isTrue((yield* beginning(opener(gzipSync("x"), "text/plain", "gzip").open, 100)).isPlain)
  })
})
