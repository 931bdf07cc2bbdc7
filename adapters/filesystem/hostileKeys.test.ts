import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe } from "@effect/vitest"
import { Context, DateTime, Effect, Exit, Layer, Logger, Result } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import { join } from "node:path"
import { it } from "../../core/testing/layer.ts"
import { layerEverySlotOpen } from "../kit/parts/objectStoreHarness.ts"
import { routes } from "../signed-urls/routes.ts"
import { objectsPath, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { layer } from "./index.ts"
import { openStore, temporaryDirectory, tree } from "./testing/store.ts"

const inAnHour = DateTime.makeUnsafe(3_600_000)

const hostile = [
  "..",
  "../secret",
  "../../secret",
  "a/../../../secret",
  "../.tmp/x",
  "../objects/x",
  "/etc/passwd",
  "//etc/passwd",
  "a//b",
  "a/",
  ".",
  "a/./b",
  "a\0b",
  "..\\..\\secret",
  "%2e%2e/secret",
  "..%2f..%2fsecret",
  "secret,object",
  "é",
  "x".repeat(513)
]

/** A directory for a store, beside a file and a folder that nothing may change. */
const surroundings = Effect.gen(function* () {
  const around = yield* temporaryDirectory
  yield* Effect.promise(async () => {
    await writeFile(join(around, "secret"), "nobody's")
    await writeFile(join(around, "secret,object"), '{"v":1,"contentType":"text/plain","sizeBytes":8}\nnobody\'s')
    await mkdir(join(around, "beside"))
  })
  return around
})

const untouched = Effect.fnUntraced(function* (around: string) {
  assert.deepStrictEqual(yield* tree(around), [
    "beside",
    "secret",
    "secret,object",
    "store",
    "store/.tmp",
    "store/objects"
  ])
  assert.strictEqual(yield* Effect.promise(() => readFile(join(around, "secret"), "utf8")), "nobody's")
})

/** URLs that allow every key, as if each had been signed by mistake. */
const allowingAll = Layer.succeed(SignedUrls, {
  put: () => "",
  get: () => "",
  verify: (method, target) => {
    const key = decodeURIComponent(target.slice(objectsPath.length))
    return Result.succeed(
      method === "PUT" ? { method: "PUT", key, contentType: "text/plain", sizeBytes: 5 } : { method: "GET", key }
    )
  }
})

/** The host of a store on a directory. Requests to it keep their paths exactly as given. */
const hostOf = Effect.fnUntraced(function* (directory: string) {
  const context = yield* Layer.build(
    HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provide(layerEverySlotOpen),
      Layer.provide(layer({ directory })),
      Layer.provide(allowingAll),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
      Layer.provide(Logger.layer([]))
    )
  )
  const base = HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address)
  const statusOf = (method: string, path: string, body = "") =>
    Effect.callback<number | undefined>((resume) => {
      const headers = { "content-type": "text/plain", "content-length": body.length }
      const outgoing = request(base, { method, path, headers, agent: false }, (response) => {
        response.resume()
        response.on("close", () => resume(Effect.succeed(response.statusCode)))
      })
      outgoing.on("error", (error) => resume(Effect.die(error)))
      outgoing.end(body)
    })
  return statusOf
})

describe("keys that would lead out of the store", () => {
  it.effect("are refused by the port", function* () {
    const around = yield* surroundings
    const { keep, store } = yield* openStore(join(around, "store"))
    for (const key of hostile) {
      assert.isTrue(Exit.hasDies(yield* Effect.exit(keep(key, "hello"))), key)
      assert.strictEqual((yield* Effect.flip(store.read(key)))._tag, "ObjectMissing", key)
      assert.strictEqual((yield* Effect.flip(store.promote(key, "copy")))._tag, "ObjectMissing", key)
      assert.deepStrictEqual(yield* store.list(`${key}/`), [], key)
      yield* store.remove([key])
    }
    yield* untouched(around)
    yield* keep("a", "hello")
    for (const key of hostile) {
      assert.isTrue(Exit.hasDies(yield* Effect.exit(store.promote("a", key))), key)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(store.presignGet({ key, expiresAt: inAnHour }))), key)
    }
    yield* store.remove(["a"])
    yield* untouched(around)
  })

  it.effect("are refused by the routes even when their URLs are signed", function* () {
    const around = yield* surroundings
    const statusOf = yield* hostOf(join(around, "store"))
    for (const key of hostile) {
      for (const path of [encodeURI(key), encodeURIComponent(key)]) {
        assert.strictEqual(yield* statusOf("PUT", objectsPath + path, "hello"), 500, path)
        assert.strictEqual(yield* statusOf("GET", objectsPath + path), 404, path)
      }
    }
    yield* untouched(around)
    assert.strictEqual(yield* statusOf("PUT", `${objectsPath}fine`, "hello"), 200)
    assert.strictEqual(yield* statusOf("GET", `${objectsPath}fine`), 200)
  })
})
