import { assert, describe, it } from "@effect/vitest"
import {
  decideStoring,
  findHostedMismatch,
  findMismatch,
  isAsHosted,
  isGzip,
  notDecompressedAgain,
  notHosted
} from "./verification.ts"
import { AccountId } from "../model/Account.ts"
import type { DeclaredObject } from "../model/Artifact.ts"
import { ObjectKey } from "../model/HostedObject.ts"

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

const accountId = AccountId.make("acme")
const [a, b] = ["a".repeat(64), "b".repeat(64)]
const prefix = "hosted/2/1/"
const [earlier, own] = [ObjectKey.make("hosted/1/1/bundle"), ObjectKey.make(`${prefix}bundle`)]

const object = (name: string, contentHash?: string, contentType = "text/plain"): DeclaredObject => ({
  name,
  sizeBytes: 10,
  contentType,
  ...(contentHash === undefined ? {} : { contentHash })
})

const hosted = (contentHash: string, key: string) => ({
  accountId,
  contentHash,
  sizeBytes: 10,
  objectKey: ObjectKey.make(key)
})

const storing = (objects: ReadonlyArray<DeclaredObject>, sent: ReadonlyArray<string>, encoded: string[] = []) =>
  decideStoring(
    {
      accountId,
      objects,
      prefix,
      promoted: new Set(sent),
      unencoded: new Set(sent.filter((name) => !encoded.includes(name)))
    },
    [hosted(a, "hosted/1/1/bundle")]
  )

describe("decideStoring", () => {
  it("shares what is hosted, sent or not, under any content type", () => {
    const objects = [object("bundle", a), object("files/0", a, "text/css")]
    assert.deepStrictEqual(storing(objects, ["files/0"]), {
      stored: { newBytes: 0, ownBytes: 0, shared: { bundle: earlier, "files/0": earlier } },
      hosted: [],
      spare: ["hosted/2/1/files/0"],
      missing: []
    })
  })

  it("stores each new content once, for others to share", () => {
    const objects = [object("bundle", b), object("files/0", b, "text/css"), object("files/1", b)]
    assert.deepStrictEqual(storing(objects, ["bundle", "files/0"]), {
      stored: { newBytes: 10, ownBytes: 0, shared: { "files/0": own, "files/1": own } },
      hosted: [hosted(b, `${prefix}bundle`)],
      spare: ["hosted/2/1/files/0"],
      missing: []
    })
  })

  it("stores for the upload alone what has no digest, is gzip or has a content encoding", () => {
    const objects = [object("bundle"), object("files/0", a, "application/gzip"), object("files/1", a)]
    assert.deepStrictEqual(storing(objects, ["bundle", "files/0", "files/1"], ["files/1"]), {
      stored: { newBytes: 30, ownBytes: 30, shared: {} },
      hosted: [],
      spare: [],
      missing: []
    })
  })

  it("misses what was not sent and is not hosted", () => {
    const objects = [object("bundle", b), object("files/0"), object("files/1", a, "application/gzip")]
    assert.deepStrictEqual(storing(objects, []).missing, objects)
  })
})

describe("notHosted", () => {
  it("leaves out what is hosted, and of equal bytes all but the first", () => {
    const objects = [
      object("bundle", a),
      object("files/0", b),
      object("files/1", b),
      object("files/2"),
      object("files/3")
    ]
    assert.deepStrictEqual(
      notHosted(objects, [hosted(a, "hosted/1/1/bundle")]).map(({ name }) => name),
      ["files/0", "files/2", "files/3"]
    )
  })
})

describe("isAsHosted", () => {
  it("is false for an object that isn't listed, or has another size, digest or content encoding", () => {
    const [key, sizeBytes] = ["hosted/1/1/bundle", 10]
    const one = hosted(a, key)
    assert.isTrue(isAsHosted([{ key, sizeBytes }])(one))
    assert.isTrue(isAsHosted([{ key, sizeBytes, contentHash: a }])(one))
    for (const other of [
      { key: `${key}s`, sizeBytes },
      { key, sizeBytes: 9 },
      { key, sizeBytes, contentHash: b },
      { key, sizeBytes, contentHash: a, contentEncoding: "gzip" }
    ]) {
      assert.isFalse(isAsHosted([other])(one))
    }
  })
})
