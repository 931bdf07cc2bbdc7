import { assert, describe } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { appendFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { it } from "../../core/testing/layer.ts"
import { ObjectKey } from "../../core/model/HostedObject.ts"
import { decompressionBudget, streamDigest } from "../../core/service/contentDigest.ts"
import { DirectoryUnusable, verify } from "./index.ts"
import { openStore, temporaryDirectory } from "./testing/store.ts"

describe("verifying the objects of a directory", () => {
  it.effect("reads all of them, and names those whose bytes are altered or missing", function* () {
    const directory = yield* temporaryDirectory
    const { receive, store } = yield* openStore(directory)
    const at = (key: string) => join(directory, "objects", `${key},object`)
    const content = Buffer.from("hello, world".repeat(100))
    const keep = Effect.fnUntraced(function* (key: string, contentType: string) {
      const bytes = contentType === "application/gzip" ? gzipSync(content) : content
      const digest = yield* streamDigest({ contentType }, decompressionBudget(10_000))
      yield* receive({ key, contentType, sizeBytes: bytes.byteLength }, Stream.make(bytes), digest)
    }, Effect.scoped)
    for (const name of ["changed", "cut", "longer", "whole"]) yield* keep(`hosted/1/${name}`, "text/plain")
    for (const name of ["packed", "packed-wrong"]) yield* keep(`hosted/2/${name}`, "application/gzip")
    yield* store.promote("hosted/1/whole", "copy")
    const size = content.byteLength
    const packed = gzipSync(content).byteLength
    const fine = { objects: 7, bytes: 5 * size + 2 * packed, changed: [], undigested: 0 }
    assert.deepStrictEqual(yield* verify(directory), fine)

    const key = ObjectKey.make("hosted/1/whole")
    const upload = { name: "whole", key, sizeBytes: size, contentType: "text/plain", isShared: false }
    const changedFrom = (declared: object) =>
      Effect.map(verify(directory, new Map([[key, [{ ...upload, ...declared }]]])), ({ changed }) => changed)
    assert.deepStrictEqual(yield* changedFrom({}), [])
    assert.deepStrictEqual(yield* changedFrom({ sizeBytes: 1 }), [key])
    assert.deepStrictEqual(yield* changedFrom({ contentType: "text/html" }), [key])

    yield* Effect.promise(async () => {
      for (const key of ["hosted/1/changed", "hosted/2/packed-wrong"]) {
        const file = await readFile(at(key))
        file[file.byteLength - 10] = (file.at(-10) ?? 0) ^ 1
        await writeFile(at(key), file)
      }
      await truncate(at("hosted/1/cut"), 300)
      await appendFile(at("hosted/1/longer"), "!")
      await mkdir(join(directory, "objects/old"))
      await writeFile(at("old/one"), '{"v":1,"contentType":"text/plain","sizeBytes":5}\nhello')
    })
    const found = yield* verify(directory)
    assert.deepStrictEqual(found.changed.toSorted(), [
      "hosted/1/changed",
      "hosted/1/cut",
      "hosted/1/longer",
      "hosted/2/packed-wrong"
    ])
    assert.deepInclude(found, { objects: 8, undigested: 1 })
    // A listing can't notice an altered object of the right size.
    assert.include(
      (yield* store.list("hosted/")).map(({ key }) => key),
      "hosted/1/changed"
    )
  })

  it.effect("reads the bytes that a proxy may send", function* () {
    const directory = yield* temporaryDirectory
    const { receive } = yield* openStore(directory, 0)
    for (const name of ["changed", "whole"]) {
      const digest = yield* streamDigest({ contentType: "text/plain" }, decompressionBudget(10_000))
      const object = { key: `hosted/1/${name}`, contentType: "text/plain", sizeBytes: 5 }
      yield* receive(object, Stream.make(Buffer.from("hello")), digest)
    }
    const folder = join(directory, "objects/hosted/1")
    const names = yield* Effect.promise(() => readdir(folder))
    const data = names.find((name) => name.startsWith("changed") && name.endsWith(",data")) ?? ""
    yield* Effect.promise(() => writeFile(join(folder, data), "jello"))
    const found = yield* verify(directory)
    assert.deepStrictEqual(found, {
      objects: 2,
      bytes: 10,
      changed: [ObjectKey.make("hosted/1/changed")],
      undigested: 0
    })
  })

  it.effect("says why a directory can't be read", function* () {
    const file = join(yield* temporaryDirectory, "file")
    yield* Effect.promise(() => writeFile(file, ""))
    assert.instanceOf(yield* Effect.flip(verify(file)), DirectoryUnusable)
  })
})
