/** Positions in the console of a replay, named by the source map beside the bundle. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { build } from "esbuild"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { uploadScript } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

const account = newAccount(["preview_upload"])

const source = `document.querySelector("#root").textContent = "Gate"

const openGate = (): void => {
  throw new Error("The gate is stuck")
}
openGate()
`

/** A script of one line, and its source map. */
const bundled = Effect.promise(async () => {
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: "src/gate.ts", loader: "ts" },
    outfile: "index.js",
    minify: true,
    sourcemap: "external",
    write: false
  })
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ""
  return { script: textOf("index.js"), map: textOf(".map") }
})

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the console of a bundle with a source map", (it) => {
  it.effect("has the names of its sources, and the positions of the bundle if the map can’t be read", () =>
    Effect.gen(function* () {
      const owner = yield* account
      const { map, script } = yield* bundled
      const upload = (text: string) =>
        uploadScript(
          owner,
          script,
          { files: [{ path: "index.js.map", contentType: "application/json", sizeBytes: bytes(text).byteLength }] },
          { files: [bytes(text)] }
        )
      const [named, broken] = [yield* upload(map), yield* upload('{"version":3,"mappings":')]
      const { page } = yield* openSignedIn(owner, named.url)
      yield* Effect.promise(async () => {
        const error = page.locator(".panel.console .error pre", { hasText: "The gate is stuck" })
        await error.filter({ hasText: "src/gate.ts:4:9" }).waitFor()
        assert.notInclude(await error.textContent(), "index.js:1")

        const warned = page.waitForEvent("console", (message) => message.text().startsWith("No source names"))
        await page.goto(broken.url)
        await warned
        assert.include(await error.textContent(), "./index.js:1:")
      })
    })
  )
})
