import { assert, describe, it } from "@effect/vitest"
import { isGzip, findMismatch, findHostedMismatch, notDecompressedAgain } from "./verification.ts"

const declared = { name: "bundle", sizeBytes: 10, contentType: "text/javascript", contentHash: "aa" }
const found = { sizeBytes: 10, contentType: "text/javascript", digest: "aa" }

describe("mismatch", () => {
  it("is none when size, type and digest are as declared", () => {
    assert.isUndefined(findMismatch(declared, found, "key"))
    assert.isUndefined(findMismatch({ name: "f", sizeBytes: 10, contentType: "text/javascript" }, found, "key"))
    assert.isUndefined(findMismatch(declared, { sizeBytes: 10 }, "key"))
  })

  it("names the first field that differs from its declaration", () => {
    const path = "a.js"
    for (const [object, reason, expected, actual] of [
      [undefined, "missing", 10, null],
      [{ ...found, sizeBytes: 9, contentType: "x/y" }, "size_mismatch", 10, 9],
      [{ ...found, contentType: "x/y", digest: "bb" }, "content_type_mismatch", "text/javascript", "x/y"],
      [{ ...found, digest: "bb" }, "digest_mismatch", "aa", "bb"]
    ] as const) {
      assert.deepStrictEqual(findMismatch(declared, object, "key"), { objectKey: "key", reason, expected, actual })
      assert.deepStrictEqual(findMismatch({ ...declared, path }, object, "key"), {
        objectKey: "key",
        path,
        reason,
        expected,
        actual
      })
    }
  })
})

describe("findHostedMismatch", () => {
  const located = { ...declared, key: "key", isShared: false }
  const shared = { ...located, isShared: true }
  const reason = (...args: Parameters<typeof findHostedMismatch>) => findHostedMismatch(...args)?.reason

  it("compares the content type of what isn't shared alone; size and digest always", () => {
    const other = { ...found, contentType: "x/y" }
    assert.deepStrictEqual([reason(located, found), reason(located, other)], [undefined, "content_type_mismatch"])
    assert.deepStrictEqual([reason(shared, found), reason(shared, other)], [undefined, undefined])
    assert.strictEqual(reason(shared, { ...other, sizeBytes: 9 }), "size_mismatch")
    assert.strictEqual(reason(shared, { ...other, digest: "bb" }), "digest_mismatch")
  })

  it("refuses gzip in the place of what is shared, which never is", () => {
    assert.strictEqual(reason(shared, { ...found, contentType: "application/gzip" }), "content_type_mismatch")
  })
})

describe("isGzip", () => {
  it("depends on content type or content encoding", () => {
    for (const type of ["application/gzip", "application/x-gzip", "APPLICATION/GZIP; a=b"])
      assert.isTrue(isGzip(type, undefined))
    for (const encoding of ["gzip", "x-gzip", "GZIP"]) assert.isTrue(isGzip("text/javascript", encoding))
    assert.isFalse(isGzip("text/javascript", undefined))
    assert.isFalse(isGzip("application/gzipped", "br"))
    assert.isFalse(isGzip(undefined, "gzip, br"))
  })
})

describe("notDecompressedAgain", () => {
  const gzip = { name: "files/0", path: "a", sizeBytes: 1, contentType: "application/gzip", contentHash: "bb" }
  const undigested = { name: "files/1", path: "b", sizeBytes: 1, contentType: "application/gzip" }
  const actual = "decompresses to more than 5 bytes"
  const ofBundle = { objectKey: "up/bundle", reason: "digest_mismatch" as const, expected: "aa", actual }

  it("names what is gzip by its type and has a digest", () => {
    assert.deepStrictEqual(notDecompressedAgain([declared, gzip, undigested], "up/", 5), [
      { objectKey: "up/files/0", path: "a", reason: "digest_mismatch", expected: "bb", actual }
    ])
  })

  it("names everything with a digest when nothing is gzip by its type", () => {
    assert.deepStrictEqual(notDecompressedAgain([declared], "up/", 5), [ofBundle])
    assert.deepStrictEqual(notDecompressedAgain([declared, undigested], "up/", 5), [ofBundle])
  })
})
