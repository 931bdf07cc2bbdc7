import { assert, describe } from "@effect/vitest"
import { Schema } from "effect"
import { it } from "../../core/testing/layer.ts"
import { bundleApp, nativeApp } from "./bundle.ts"

const SourceMap = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(3),
    sources: Schema.Array(Schema.String)
  })
)

const Catalog = Schema.fromJsonString(
  Schema.Struct({
    slips: Schema.Array(Schema.Struct({ id: Schema.String, image: Schema.String }))
  })
)

const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes)

describe("bundleApp", () => {
  it.effect("builds one script a browser can run", function* () {
    const app = yield* bundleApp
    const code = text(app.bundle)
    assert.strictEqual(app.entry, "index.js")
    assert.strictEqual(app.bundleContentType, "text/javascript")
    assert.isAbove(app.bundle.byteLength, 150_000)
    assert.isBelow(app.bundle.byteLength, 900_000)
    assert.include(code, "SlipwayHarbour")
    assert.notInclude(code, "process.env")
    assert.notInclude(code, "localStorage")
    assert.notInclude(code, import.meta.dirname)
    assert.isTrue(code.trimEnd().endsWith("//# sourceMappingURL=index.js.map"))
  })

  it.effect("carries the files the script asks for", function* () {
    const { files } = yield* bundleApp
    assert.deepStrictEqual(
      files.map(({ path, contentType }) => [path, contentType]),
      [
        ["assets/catalog.json", "application/json"],
        ["assets/launch.png", "image/png"],
        ["assets/sail.png", "image/png"],
        ["assets/trawler.png", "image/png"],
        ["index.js.map", "application/json"]
      ]
    )
    for (const { bytes, contentType } of files) {
      const magic = contentType === "image/png" ? [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] : [0x7b]
      assert.deepStrictEqual([...bytes.subarray(0, magic.length)], magic)
    }
  })

  it.effect("has a picture for every slip", function* () {
    const { files } = yield* bundleApp
    const catalog = files.find(({ path }) => path === "assets/catalog.json")
    assert.isDefined(catalog)
    const { slips } = yield* Schema.decodeEffect(Catalog)(text(catalog.bytes))
    assert.strictEqual(new Set(slips.map(({ id }) => id)).size, slips.length)
    const paths = new Set(files.map(({ path }) => path))
    assert.deepStrictEqual(
      slips.filter(({ image }) => !paths.has(`assets/${image}.png`)),
      []
    )
  })

  it.effect("names its sources by relative paths", function* () {
    const { files } = yield* bundleApp
    const map = files.find(({ path }) => path === "index.js.map")
    assert.isDefined(map)
    const { sources } = yield* Schema.decodeEffect(SourceMap)(text(map.bytes))
    assert.include(sources, "app/App.jsx")
    assert.deepStrictEqual(
      sources.filter((source) => source.startsWith("/") || source.includes(":")),
      []
    )
  })

  it.effect("gives the same bytes for the same source", function* () {
    assert.deepStrictEqual(yield* bundleApp, yield* bundleApp)
  })
})

describe("nativeApp", () => {
  it.effect("is the same app for a phone, with its pictures beside it", function* () {
    const [native, web] = [yield* nativeApp, yield* bundleApp]
    const code = new TextDecoder("utf-8", { fatal: true }).decode(native.bundle)
    assert.isFalse(native.isTransformed)
    assert.include(code, "SlipwayHarbour")
    assert.include(code, "nativeLoggingHook")
    assert.notInclude(code, "react-native-web")
    const pictures = (app: typeof web) =>
      app.files.flatMap(({ bytes, path }) => (path.endsWith(".png") ? [[path.replace(/^.*\//, ""), bytes]] : []))
    assert.deepStrictEqual(pictures(native), pictures(web))
  })
})
