/** The files that checks upload are valid for their content type. */
import { crc32, gunzipSync, inflateSync } from "node:zlib"
import { Script } from "node:vm"
import { assert, describe, it } from "vitest"
import { gzipOf } from "./fileKinds.ts"
import { content } from "./Session.ts"

const made = (contentType: string, sizeBytes: number) =>
  Buffer.from(content("run", "check", "label", sizeBytes, contentType).bytes)

/** The chunks of a PNG, each with a right checksum. */
const chunksOf = (png: Buffer): ReadonlyArray<readonly [type: string, data: Buffer]> => {
  const chunks: Array<readonly [string, Buffer]> = []
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    assert.strictEqual(png.readUInt32BE(at + 8 + length), crc32(body))
    chunks.push([body.toString("latin1", 0, 4), body.subarray(4)])
    at += 12 + length
  }
  return chunks
}

const parsers: Readonly<Record<string, (bytes: Buffer) => void>> = {
  "text/javascript": (bytes) => void new Script(bytes.toString()),
  "text/css": (bytes) =>
    assert.match(bytes.toString(), /^\.[a-z]+::after \{ content: "(?:é 😀 日本 )?[0-9a-f]*" \}\n$/),
  "application/json": (bytes) => assert.isObject(JSON.parse(bytes.toString())),
  "image/svg+xml": (bytes) =>
    assert.match(bytes.toString(), /^<svg xmlns="[^"]+"><!--(?:é 😀 日本 )?[0-9a-f]*--><\/svg>\n$/),
  "image/png": (bytes) => {
    assert.strictEqual(bytes.toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n")
    const chunks = chunksOf(bytes)
    assert.deepStrictEqual(
      chunks.map(([type]) => type),
      ["IHDR", "IDAT", "tEXt", "IEND"]
    )
    assert.deepStrictEqual([...inflateSync(chunks[1]?.[1] ?? Buffer.alloc(0))], [0, 0])
  },
  "video/webm": (bytes) => {
    assert.strictEqual(bytes.readUInt32BE(0), 0x1a45dfa3)
    assert.strictEqual(bytes.toString("latin1", 8, 12), "webm")
    assert.strictEqual(bytes[12], 0xec)
    assert.strictEqual(bytes.readUInt32BE(13) & 0x0fffffff, bytes.length - 17)
  },
  "text/plain": (bytes) => assert.match(bytes.toString(), /^[0-9a-f]+$/)
}

describe("what is uploaded", () => {
  for (const [contentType, parse] of Object.entries(parsers)) {
    for (const sizeBytes of [128, 511, 512, 513, 4112]) {
      it(`is ${contentType} of ${sizeBytes} bytes`, () => {
        const bytes = made(contentType, sizeBytes)
        assert.strictEqual(bytes.length, sizeBytes)
        parse(bytes)
        assert.notDeepEqual(bytes, Buffer.from(content("run", "check", "other", sizeBytes, contentType).bytes))
      })
    }
  }

  it("is plain text where the size has no room for the type", () => {
    assert.match(made("image/png", 20).toString(), /^[0-9a-f]{20}$/)
  })

  it("is gzip that unpacks to what was packed", () => {
    const bundle = made("text/javascript", 512)
    assert.deepStrictEqual(gunzipSync(gzipOf(bundle)), bundle)
  })
})
