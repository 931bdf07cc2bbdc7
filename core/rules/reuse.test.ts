import { assert, describe, it } from "@effect/vitest"
import { AccountId } from "../model/Account.ts"
import type { DeclaredObject } from "../model/Artifact.ts"
import { ObjectKey } from "../model/ObjectKey.ts"
import { decideStoring, isAsHosted, notHosted } from "./reuse.ts"

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
