import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { mkdir, readFile, rename, rm, stat, truncate, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { it } from "../../core/testing/layer.ts"
import { fileOfStream } from "../../core/ports/HostServices.ts"
import { objectStoreSuite } from "../kit/objectStore.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { bufferPool } from "./files.ts"
import { DirectoryUnusable } from "./index.ts"
import { checkedStore, openFiles, openStore, temporaryDirectory, tree } from "./testing/store.ts"

const mode = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777)
const dayInMillis = 24 * 60 * 60 * 1000

describe("what the filesystem store keeps on disk", () => {
  it.effect("is one file per object: a line of JSON, then the bytes", function* () {
    const directory = yield* temporaryDirectory
    const { receive } = yield* openStore(directory)
    const object = { key: "hosted/1/bundle", contentType: 'text/x; q="é"', contentEncoding: "gzip", sizeBytes: 4 }
    const facts = '{"v":1,"contentType":"text/x; q=\\"é\\"","contentEncoding":"gzip","sizeBytes":4'
    const bytes = Buffer.of(0, 10, 255, 10)
    const contentHash = "0123456789abcdef".repeat(4)
    const hash = `,"contentHash":"${contentHash}"`
    for (const [taken, header] of [
      [contentHash, `${facts}${hash}}\n`],
      // A file without a digest holds as many spaces in its place.
      [undefined, `${facts}}${" ".repeat(hash.length)}\n`]
    ]) {
      yield* receive(object, Stream.make(bytes.subarray(0, 3), bytes.subarray(3)), {
        passThrough: (bytes) => bytes,
        digest: Effect.succeed(taken)
      })
      const file = yield* Effect.promise(() => readFile(join(directory, "objects/hosted/1/bundle,object")))
      assert.deepStrictEqual(file, Buffer.concat([Buffer.from(header ?? ""), bytes]))
    }
  })

  it.effect("is an object without a digest when an older version stored it", function* () {
    const directory = yield* temporaryDirectory
    const { store } = yield* openStore(directory)
    yield* Effect.promise(async () => {
      await mkdir(join(directory, "objects/hosted"))
      await writeFile(
        join(directory, "objects/hosted/old,object"),
        '{"v":1,"contentType":"text/plain","sizeBytes":5}\nhello'
      )
    })
    assert.deepStrictEqual(yield* store.list("hosted/"), [
      { key: "hosted/old", sizeBytes: 5, contentType: "text/plain" }
    ])
  })

  it.effect("can't be read by other users", function* () {
    const directory = join(yield* temporaryDirectory, "made/by/the/store")
    const { keep } = yield* openStore(directory)
    yield* keep("hosted/1/bundle", "hello")
    for (const folder of ["objects", ".tmp", "objects/hosted", "objects/hosted/1"]) {
      assert.strictEqual(yield* mode(join(directory, folder)), 0o700, folder)
    }
    assert.strictEqual(yield* mode(join(directory, "objects/hosted/1/bundle,object")), 0o600)
  })

  it.effect("is one file for an object and its promoted copy", function* () {
    const directory = yield* temporaryDirectory
    const { keep, store } = yield* openStore(directory)
    yield* keep("uploads/a", "hello")
    yield* store.promote("uploads/a", "hosted/a")
    const { nlink } = yield* Effect.promise(() => stat(join(directory, "objects/hosted/a,object")))
    assert.strictEqual(nlink, 2)
  })

  it.effect("stays for the next process", function* () {
    const directory = yield* temporaryDirectory
    yield* Effect.scoped(Effect.flatMap(openStore(directory), ({ keep }) => keep("hosted/a", "hello")))
    const { contentOf } = yield* openStore(directory)
    assert.strictEqual(yield* contentOf("hosted/a"), "hello")
  })

  it.effect("is nothing, not even a folder, after everything was removed", function* () {
    const directory = yield* temporaryDirectory
    const { keep, store } = yield* openStore(directory)
    const keys = ["a", "a/b", "a/c/d/e", `long/${"x".repeat(400)}/y`]
    for (const key of keys) yield* keep(key, "hello")
    yield* store.remove(keys)
    assert.deepStrictEqual(yield* tree(directory), [".tmp", "objects"])
  })

  it.effect("stays unchanged when a PUT fails, has the wrong length or is interrupted", function* () {
    const directory = yield* temporaryDirectory
    const { contentOf, keep, receive } = yield* openStore(directory)
    yield* keep("a", "there before")
    const object = { key: "a", contentType: "text/plain", sizeBytes: 1000 }
    const half = Stream.make(new Uint8Array(500))
    assert.strictEqual(yield* Effect.flip(receive(object, Stream.concat(half, Stream.fail("broken")))), "broken")
    assert.strictEqual(String(yield* Effect.flip(receive(object, half))), "WrongLength")
    const begun = yield* Deferred.make<void>()
    const endless = half.pipe(
      Stream.concat(Stream.drain(Stream.fromEffect(Deferred.succeed(begun, undefined)))),
      Stream.concat(Stream.never)
    )
    const receiving = yield* Effect.forkChild(receive(object, endless))
    yield* Deferred.await(begun)
    assert.lengthOf(yield* tree(join(directory, ".tmp")), 1)
    yield* Fiber.interrupt(receiving)
    assert.deepStrictEqual(yield* tree(directory), [".tmp", "objects", "objects/a,object"])
    assert.strictEqual(yield* contentOf("a"), "there before")
  })

  it.effect("is not an object when another program left the file or when it is incomplete", function* () {
    const directory = yield* temporaryDirectory
    const { contentOf, keep, store } = yield* openStore(directory)
    for (const name of ["cut", "longer", "whole"]) yield* keep(`hosted/${name}`, "hello, world")
    const at = (name: string) => join(directory, "objects/hosted", name)
    yield* Effect.promise(async () => {
      await truncate(at("cut,object"), 60)
      await writeFile(at("longer,object"), "!", { flag: "a" })
      await writeFile(at("empty,object"), "")
      await writeFile(at("foreign,object"), "no header")
      await writeFile(at("next-version,object"), '{"v":2,"contentType":"text/plain","sizeBytes":0}\n')
      await writeFile(at("endless,object"), "x".repeat(100_000))
      await writeFile(at(".DS_Store"), "")
    })
    assert.deepStrictEqual(
      (yield* store.list("hosted/")).map(({ key }) => key),
      ["hosted/whole"]
    )
    for (const name of ["cut", "longer", "empty", "foreign", "next-version", "endless", ".DS_Store"]) {
      assert.strictEqual((yield* Effect.flip(store.read(`hosted/${name}`)))._tag, "ObjectMissing", name)
    }
    yield* keep("hosted/cut", "hello again")
    assert.strictEqual(yield* contentOf("hosted/cut"), "hello again")
  })
})

describe("an object whose bytes a proxy may send", () => {
  const [id, old] = ["[0-9a-f-]{36}", "00000000-0000-4000-8000-000000000000"]
  const treeOf = (directory: string) =>
    Effect.map(tree(directory), (paths) =>
      paths.filter((path) => path.includes(",")).map((path) => path.replace(new RegExp(id), "ID"))
    )

  it.effect(
    "is a line of JSON, and a second file with nothing but the bytes; smaller objects are one file",
    function* () {
      const directory = yield* temporaryDirectory
      const { keep, store } = yield* openStore(directory, 5)
      yield* keep("uploads/1/small", "hell")
      yield* store.promote("uploads/1/small", "hosted/1/small")
      yield* store.remove(["uploads/1/small"])
      // The folder of the smaller one is that of the larger one too.
      yield* keep("hosted/1/large", "hello")
      const both = ["objects/hosted/1/large,ID,data", "objects/hosted/1/large,object"]
      assert.deepStrictEqual(yield* treeOf(directory), [...both, "objects/hosted/1/small,object"])
      const { stream } = yield* store.read("hosted/1/large", { offset: 1 })
      const data = fileOfStream(stream) ?? ""
      assert.match(data, new RegExp(`^hosted/1/large,${id},data$`))
      assert.strictEqual(yield* Effect.promise(() => readFile(join(directory, "objects", data), "utf8")), "hello")
      assert.isUndefined(fileOfStream((yield* store.read("hosted/1/small")).stream))
      for (const [path, expected] of [
        ["", 0o710],
        ["hosted", 0o710],
        ["hosted/1", 0o710],
        ["hosted/1/large,object", 0o600],
        ["hosted/1/small,object", 0o600],
        [data, 0o640]
      ] as const) {
        assert.strictEqual(yield* mode(join(directory, "objects", path)), expected, path)
      }
    }
  )

  it.effect("replaces and is replaced by one of the other form, and leaves nothing", function* () {
    const directory = yield* temporaryDirectory
    for (const minBytes of [0, undefined, 0, 0]) {
      yield* Effect.gen(function* () {
        const { contentOf, keep, store } = yield* openStore(directory, minBytes)
        const isAlone = minBytes === 0
        yield* keep("uploads/1/a", `hello ${isAlone}`)
        yield* store.promote("uploads/1/a", "hosted/1/a")
        for (const key of ["uploads/1/a", "hosted/1/a"]) {
          assert.strictEqual(yield* contentOf(key), `hello ${isAlone}`)
          const { stream } = yield* store.read(key)
          assert.strictEqual(fileOfStream(stream) !== undefined, isAlone)
        }
      }).pipe(Effect.scoped)
    }
    assert.deepStrictEqual(yield* treeOf(directory), [
      "objects/hosted/1/a,ID,data",
      "objects/hosted/1/a,object",
      "objects/uploads/1/a,ID,data",
      "objects/uploads/1/a,object"
    ])
    const { contentOf, store } = yield* openStore(directory)
    yield* store.remove(["uploads/1/a"])
    assert.strictEqual(yield* contentOf("hosted/1/a"), "hello true")
    yield* store.remove(["hosted/1/a"])
    assert.deepStrictEqual(yield* tree(directory), [".tmp", "objects"])
  })

  it.effect("is missing without its bytes; a scan removes bytes without an object after a day", function* () {
    const directory = yield* temporaryDirectory
    const { contentOf, keep, store } = yield* openStore(directory, 0)
    for (const name of ["whole", "removed", "damaged"]) yield* keep(`hosted/1/${name}`, "hello")
    const at = (name: string) => join(directory, "objects/hosted/1", name)
    const removed = (yield* tree(at(""))).find((name) => name.startsWith("removed") && name.endsWith(",data")) ?? ""
    yield* Effect.promise(async () => {
      await rm(at(removed))
      await writeFile(at("damaged,object"), "no line")
      for (const name of ["whole", "none"]) await writeFile(at(`${name},${old},data`), "orphan")
    })
    const scan = Effect.map(Stream.runCollect(store.scan("hosted/")), (all) => all.map(({ key }) => key))
    assert.deepStrictEqual(yield* scan, ["hosted/1/whole"])
    assert.strictEqual((yield* Effect.flip(store.read("hosted/1/removed")))._tag, "ObjectMissing")
    const before = yield* treeOf(directory)
    const { ctimeMs } = yield* Effect.promise(() => stat(at(`whole,${old},data`)))
    yield* TestClock.setTime(ctimeMs + dayInMillis)
    assert.deepStrictEqual(yield* scan, ["hosted/1/whole"])
    assert.deepStrictEqual(yield* treeOf(directory), before)
    yield* TestClock.setTime(ctimeMs + dayInMillis + 1000)
    assert.deepStrictEqual(yield* scan, ["hosted/1/whole"])
    const left = (yield* tree(at(""))).filter((name) => name.includes(old))
    assert.deepStrictEqual(left, [])
    // Bytes whose object can't be read are kept.
    assert.lengthOf(
      (yield* tree(at(""))).filter((name) => /^damaged,.*data$/.test(name)),
      1
    )
    assert.strictEqual(yield* contentOf("hosted/1/whole"), "hello")
  })
})

describe("the filesystem store when the system refuses a call", () => {
  it.effect("is unavailable when it can't make new files, and keeps what is there", function* () {
    const directory = yield* temporaryDirectory
    const { contentOf, keep, store } = yield* openStore(directory)
    yield* keep("a", "hello")
    yield* Effect.promise(() => rm(join(directory, ".tmp"), { recursive: true }))
    assert.strictEqual((yield* Effect.flip(keep("a", "other")))._tag, "Unavailable")
    // A promotion is a link, but to replace an object it is made under another name first.
    yield* store.promote("a", "b")
    assert.strictEqual((yield* Effect.flip(store.promote("a", "b")))._tag, "Unavailable")
    assert.strictEqual((yield* Effect.flip(store.promote("none", "b")))._tag, "ObjectMissing")
    for (const key of ["a", "b"]) assert.strictEqual(yield* contentOf(key), "hello")
  })

  it.effect("is unavailable when another file is in the way, and leaves no temporary file", function* () {
    const directory = yield* temporaryDirectory
    const { keep, store } = yield* openStore(directory)
    yield* Effect.promise(() => mkdir(join(directory, "objects/a,object/b"), { recursive: true }))
    assert.strictEqual((yield* Effect.flip(keep("a", "hello")))._tag, "Unavailable")
    assert.strictEqual((yield* Effect.flip(store.read("a")))._tag, "Unavailable")
    assert.strictEqual((yield* Effect.flip(store.remove(["a"])))._tag, "Unavailable")
    assert.deepStrictEqual(yield* tree(join(directory, ".tmp")), [])
  })

  it.effect("is unavailable when a file ends while it is read", function* () {
    const directory = yield* temporaryDirectory
    const { keep, store } = yield* openStore(directory)
    yield* keep("a", new Uint8Array(1_000_000))
    const { stream } = yield* store.read("a")
    yield* Effect.promise(() => truncate(join(directory, "objects/a,object"), 500_000))
    assert.strictEqual((yield* Effect.flip(Stream.runDrain(stream)))._tag, "Unavailable")
  })

  it.effect.each(["gone", "a file"])("is unavailable, and misses no object, when its folder is %s", function* (become) {
    const directory = yield* temporaryDirectory
    const { contentOf, keep, store } = yield* openStore(directory)
    yield* keep("uploads/a", "hello")
    yield* store.check
    const folder = join(directory, "objects")
    yield* Effect.promise(async () => {
      await rename(folder, `${folder}-away`)
      if (become === "a file") await writeFile(folder, "")
    })
    for (const call of [
      store.check,
      store.list("uploads/"),
      store.promote("uploads/a", "hosted/a"),
      Effect.scoped(store.read("uploads/a"))
    ]) {
      assert.strictEqual((yield* Effect.flip<unknown, { readonly _tag: string }, never>(call))._tag, "Unavailable")
    }
    yield* Effect.promise(async () => {
      await rm(folder, { recursive: true, force: true })
      await rename(`${folder}-away`, folder)
    })
    yield* store.check
    assert.strictEqual(yield* contentOf("uploads/a"), "hello")
  })

  it.effect("fails its check when it can't make new files", function* () {
    const directory = yield* temporaryDirectory
    const { store } = yield* openStore(directory)
    yield* Effect.promise(() => rm(join(directory, ".tmp"), { recursive: true }))
    assert.strictEqual((yield* Effect.flip(store.check))._tag, "Unavailable")
  })

  it.effect("doesn't start in a directory where it can't keep files", function* () {
    const file = join(yield* temporaryDirectory, "file")
    yield* Effect.promise(() => writeFile(file, ""))
    const error = yield* Effect.flip(openStore(file))
    assert.instanceOf(error, DirectoryUnusable)
    assert.strictEqual(
      error.message,
      `Objects can't be kept in ${file} (ENOTDIR): a file is where a folder should be; remove it, or name another directory.`
    )
  })
})

describe("the temporary files of a process that was killed", () => {
  it.effect("are removed after a day, by the change time of the file and not of its content", function* () {
    const directory = yield* temporaryDirectory
    const leftover = join(directory, ".tmp/leftover")
    yield* Effect.promise(async () => {
      await mkdir(join(directory, ".tmp"))
      await writeFile(leftover, "half")
      await utimes(leftover, 0, 0)
    })
    const { ctimeMs } = yield* Effect.promise(() => stat(leftover))
    yield* TestClock.setTime(ctimeMs + dayInMillis - 1)
    yield* Effect.scoped(openStore(directory))
    assert.deepStrictEqual(yield* tree(join(directory, ".tmp")), ["leftover"])
    yield* TestClock.setTime(ctimeMs + dayInMillis + 1)
    yield* Effect.scoped(openStore(directory))
    assert.deepStrictEqual(yield* tree(join(directory, ".tmp")), [])
  })
})

describe.skipIf(process.platform !== "linux")("the files that the filesystem store has open", () => {
  it.effect("are none while no call is running", function* () {
    const directory = yield* temporaryDirectory
    const { contentOf, keep, receive, store } = yield* openStore(directory)
    yield* keep("hosted/a", new Uint8Array(1_000_000))
    yield* store.promote("hosted/a", "hosted/b")
    yield* store.list("hosted/")
    yield* contentOf("hosted/a")
    yield* Effect.scoped(
      Effect.flatMap(store.read("hosted/a"), ({ stream }) => Stream.runDrain(Stream.take(stream, 1)))
    )
    yield* Effect.flip(Effect.scoped(store.read("hosted/a", { offset: 1_000_000 })))
    yield* Effect.flip(receive({ key: "c", contentType: "a/b", sizeBytes: 1 }, Stream.empty))
    yield* store.remove(["hosted/a", "hosted/b"])
    assert.strictEqual(yield* openFiles(directory), 0)
  })

  it.effect("are closed when a reader is interrupted", function* () {
    const directory = yield* temporaryDirectory
    const { keep, store } = yield* openStore(directory)
    yield* keep("a", new Uint8Array(1_000_000))
    const begun = yield* Deferred.make<void>()
    const reading = yield* store.read("a").pipe(
      Effect.flatMap(({ stream }) =>
        Stream.runForEach(stream, () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      ),
      Effect.scoped,
      Effect.forkChild
    )
    yield* Deferred.await(begun)
    assert.strictEqual(yield* openFiles(directory), 1)
    yield* Fiber.interrupt(reading)
    assert.strictEqual(yield* openFiles(directory), 0)
  })

  it.effect("are those of the opened objects, read or not, until their scope closes", function* () {
    const directory = yield* temporaryDirectory
    const { keep, store } = yield* openStore(directory)
    yield* keep("a", "hello")
    yield* Effect.gen(function* () {
      const opened = yield* Effect.replicateEffect(store.read("a"), 300)
      assert.strictEqual(yield* openFiles(directory), 300)
      for (const { stream } of [opened[0], opened[299]].filter((one) => one !== undefined)) {
        assert.strictEqual(Buffer.from(yield* Stream.mkUint8Array(stream)).toString(), "hello")
      }
      assert.strictEqual(yield* openFiles(directory), 300)
    }).pipe(Effect.scoped)
    assert.strictEqual(yield* openFiles(directory), 0)
  })
})

it("a spare buffer is there until many are in use, and again when some were given back", () => {
  const buffers = bufferPool(8)
  const taken = Array.from({ length: 31 }, () => buffers.acquire())
  const spare = buffers.acquireSpare()
  assert.strictEqual(spare?.byteLength, 8)
  assert.isUndefined(buffers.acquireSpare())
  taken.push(buffers.acquire())
  assert.isUndefined(buffers.acquireSpare())
  for (const buffer of taken.slice(0, 2)) buffers.release(buffer)
  assert.strictEqual(buffers.acquireSpare(), taken[1])
})

for (const minProxiedBytes of [undefined, 0]) {
  const name = minProxiedBytes === undefined ? "filesystem" : "filesystem, whose bytes a proxy sends"
  objectStoreSuite(name, loopback(checkedStore(minProxiedBytes)), {
    urlsServedByHost: true,
    listsContentType: true,
    reportsContentHash: true
  })
}
