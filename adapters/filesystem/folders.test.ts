import { assert, describe } from "@effect/vitest"
import { basename, dirname, join, relative } from "node:path"
import { it } from "../../core/testing/layer.ts"
import { ObjectKey } from "../../core/model/HostedObject.ts"
import { duplicate, fileOf, folderOf, keyIn, prefixIn, publishFile } from "./folders.ts"
import { Effect } from "effect"
import { readFile, rmdir, stat, unlink, writeFile } from "node:fs/promises"
import { attempt } from "./files.ts"
import { temporaryDirectory, tree } from "./testing/store.ts"

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

describe("publishFile", () => {
  it.effect("replaces a file of the same name and makes the missing folders", function* () {
    const root = yield* temporaryDirectory
    const target = join(root, "a/b/target")
    for (const content of ["first", "second"]) {
      yield* Effect.promise(() => writeFile(join(root, "file"), content))
      yield* publishFile({ file: join(root, "file") }, target)
      assert.strictEqual(yield* Effect.promise(() => readFile(target, "utf8")), content)
    }
    assert.deepStrictEqual(yield* tree(root), ["a", "a/b", "a/b/target"])
  })

  it.effect("succeeds while others remove its folders as empty", function* () {
    const root = yield* temporaryDirectory
    const [file, target] = [join(root, "file"), join(root, "a/b/target")]
    const removing = Effect.forever(
      Effect.forEach([join(root, "a/b"), join(root, "a")], (folder) => Effect.ignore(attempt(() => rmdir(folder))))
    )
    const placing = Effect.gen(function* () {
      for (let round = 0; round < 50; round++) {
        yield* Effect.promise(() => writeFile(file, ""))
        yield* publishFile({ file }, target)
        yield* Effect.promise(() => unlink(target))
      }
    })
    yield* Effect.raceFirst(placing, removing)
  })

  it.effect("fails when the file is missing", function* () {
    const root = yield* temporaryDirectory
    const error = yield* Effect.flip(publishFile({ file: join(root, "none") }, join(root, "a/target")))
    assert.strictEqual(error.code, "ENOENT")
  })
})

const refusing = (code: string) => () =>
  Promise.reject(Object.assign(new Error(`${code}: no link`), { code, syscall: "link" }))

describe("duplicate", () => {
  it.effect("links", function* () {
    const folder = yield* temporaryDirectory
    const [from, to] = [join(folder, "from"), join(folder, "to")]
    yield* Effect.promise(() => writeFile(from, "hello"))
    yield* duplicate(from, to)
    assert.strictEqual((yield* Effect.promise(() => stat(to))).nlink, 2)
  })

  it.effect.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "EXDEV"])(
    "copies where links fail with %s",
    function* (code) {
      const folder = yield* temporaryDirectory
      const [from, to] = [join(folder, "from"), join(folder, "to")]
      yield* Effect.promise(() => writeFile(from, "hello", { mode: 0o600 }))
      yield* duplicate(from, to, refusing(code))
      const [content, { mode, nlink }] = yield* Effect.promise(() => Promise.all([readFile(to, "utf8"), stat(to)]))
      assert.deepStrictEqual([content, mode & 0o777, nlink], ["hello", 0o600, 1])
    }
  )

  it.effect("fails when the system refuses for another reason", function* () {
    const folder = yield* temporaryDirectory
    const failure = (link?: () => Promise<never>) =>
      Effect.map(Effect.flip(duplicate(join(folder, "from"), join(folder, "to"), link)), ({ code }) => code)
    assert.strictEqual(yield* failure(refusing("EIO")), "EIO")
    assert.strictEqual(yield* failure(refusing("EPERM")), "ENOENT")
    assert.strictEqual(yield* failure(), "ENOENT")
  })
})
