import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { ObjectSink, SignedUrls } from "../../signed-urls/SignedUrls.ts"
import { layer } from "../index.ts"
import { assert } from "@effect/vitest"
import { OpenObjects } from "../../kit/objectStore.ts"

/** A directory that is removed when the scope closes. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "slipway-objects-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

const urls = SignedUrls.layer({ secret: Redacted.make("secret"), baseUrl: "http://127.0.0.1" })

/** A store on a directory until the scope closes, and helpers that use it. */
export const openStore = Effect.fnUntraced(function* (directory: string, minProxiedBytes?: number) {
  const context = yield* Layer.build(Layer.provide(layer({ directory, minProxiedBytes }), urls))
  const { receive } = Context.get(context, ObjectSink)
  const store = Context.get(context, ObjectStore)
  return {
    store,
    receive,
    keep: (key: string, content: string | Uint8Array) => {
      const bytes = Buffer.from(content)
      return receive({ key, contentType: "text/plain", sizeBytes: bytes.byteLength }, Stream.make(bytes))
    },
    contentOf: (key: string) =>
      store.read(key).pipe(
        Effect.flatMap(({ stream }) => Stream.mkUint8Array(stream)),
        Effect.scoped,
        Effect.map((bytes) => Buffer.from(bytes).toString())
      )
  }
})

/** The path of every file and folder below a folder. */
export const tree = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => (await readdir(folder, { recursive: true })).toSorted())

/** How many files below a folder this process has open. Linux only. */
export const openFiles = (folder: string): Effect.Effect<number> =>
  Effect.promise(async () => {
    const descriptors = await readdir("/proc/self/fd")
    const files = await Promise.all(descriptors.map((fd) => readlink(join("/proc/self/fd", fd)).catch(() => "")))
    return files.filter((file) => file.startsWith(folder)).length
  })

/** After the store is closed, no temporary file of a case is left. */
const nothingLeaks = (directory: string) =>
  Effect.addFinalizer(
    Effect.fnUntraced(function* () {
      assert.deepStrictEqual(yield* tree(join(directory, ".tmp")), [])
    })
  )

/** A store in a folder of its own, which tells what it has open. */
export const checkedStore = (minProxiedBytes?: number) =>
  Layer.unwrap(
    Effect.map(Effect.tap(temporaryDirectory, nothingLeaks), (directory) => {
      const store = layer({ directory, minProxiedBytes })
      return process.platform === "linux" ? Layer.merge(store, Layer.succeed(OpenObjects, openFiles(directory))) : store
    })
  )
