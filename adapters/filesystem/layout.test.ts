import { assert, describe, it } from "@effect/vitest"
import { basename, dirname, relative } from "node:path"
import { ObjectKey } from "../../core/model/ObjectKey.ts"
import { fileOf, folderOf, keyIn, prefixIn } from "./layout.ts"

const key = ObjectKey.make

const keys = [
  "a",
  "hosted/0198/bundle",
  "a/b",
  "a.b/c",
  "...",
  "!-_.*'()",
  "x".repeat(200),
  "x".repeat(201),
  "x".repeat(512),
  `${"x".repeat(255)}/${"y".repeat(256)}`,
  `${"x".repeat(400)}/y`
].map((text) => key(text))

/** The key of a file, found by walking down its path. */
const found = (file: string): string | undefined => {
  const folders = dirname(relative("/root", file)).split("/")
  const prefix = folders.filter((folder) => folder !== ".").reduce(prefixIn, "")
  return keyIn(prefix, basename(file))
}

describe("layout", () => {
  it("is as documented", () => {
    assert.strictEqual(fileOf("/root", key("hosted/0198/bundle")), "/root/hosted/0198/bundle,object")
    assert.strictEqual(folderOf("/root", key("hosted/0198")), "/root/hosted/0198")
    assert.strictEqual(fileOf("/root", key("x".repeat(201))), `/root/${"x".repeat(200)},/x,object`)
  })

  it.for(keys)("finds %s again", (key) => {
    assert.strictEqual(found(fileOf("/root", key)), key)
  })

  it.for(keys)("names nothing longer than file systems take: %s", (key) => {
    for (const name of fileOf("/root", key).split("/")) assert.isAtMost(name.length, 255)
  })

  it("gives each key its own file, which is never the folder of another key", () => {
    const files = keys.map((key) => fileOf("/root", key))
    assert.strictEqual(new Set(files).size, keys.length)
    const folders = new Set(keys.map((key) => folderOf("/root", key)))
    assert.isFalse(files.some((file) => folders.has(file)))
  })

  it("doesn't take the files of other programs for objects", () => {
    for (const name of [".DS_Store", "notes.txt", ",object", "a b,object", "..,object", "bundle,object~", "bundle"]) {
      assert.isUndefined(keyIn("hosted/", name))
    }
  })
})
