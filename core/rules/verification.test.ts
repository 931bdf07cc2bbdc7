import { assert, describe, it } from "@effect/vitest"
import { isGzip, misfit } from "./verification.ts"

const declared = { name: "bundle", sizeBytes: 10, contentType: "text/javascript", contentHash: "aa" }
const found = { sizeBytes: 10, contentType: "text/javascript", digest: "aa" }

describe("misfit", () => {
  it("is none when size, type and digest are as declared", () => {
    assert.isUndefined(misfit(declared, found, "key"))
    assert.isUndefined(misfit({ name: "f", sizeBytes: 10, contentType: "text/javascript" }, found, "key"))
    assert.isUndefined(misfit(declared, { sizeBytes: 10 }, "key"))
  })

  it("names the first thing that is other than declared", () => {
    const path = "a.js"
    for (const [object, reason, expected, actual] of [
      [undefined, "missing", 10, null],
      [{ ...found, sizeBytes: 9, contentType: "x/y" }, "size_mismatch", 10, 9],
      [{ ...found, contentType: "x/y", digest: "bb" }, "content_type_mismatch", "text/javascript", "x/y"],
      [{ ...found, digest: "bb" }, "digest_mismatch", "aa", "bb"]
    ] as const) {
      assert.deepStrictEqual(misfit(declared, object, "key"), { objectKey: "key", reason, expected, actual })
      assert.deepStrictEqual(misfit({ ...declared, path }, object, "key"), {
        objectKey: "key",
        path,
        reason,
        expected,
        actual
      })
    }
  })
})

describe("isGzip", () => {
  it("goes by content type or content encoding", () => {
    for (const type of ["application/gzip", "application/x-gzip", "APPLICATION/GZIP; a=b"])
      assert.isTrue(isGzip(type, undefined))
    for (const encoding of ["gzip", "x-gzip", "GZIP"]) assert.isTrue(isGzip("text/javascript", encoding))
    assert.isFalse(isGzip("text/javascript", undefined))
    assert.isFalse(isGzip("application/gzipped", "br"))
    assert.isFalse(isGzip(undefined, "gzip, br"))
  })
})
