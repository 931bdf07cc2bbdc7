import { gzipSync } from "node:zlib"
import { assert, it } from "vitest"
import { bundledForBrowsers } from "./testing/bundled.ts"

it("browsers get at most 12 kB, gzipped, of this folder's own files and nothing else", async () => {
  const { code, files } = await bundledForBrowsers()
  assert.deepStrictEqual(
    files.filter((file) => !/^hosts\/client\/\w+\.ts$/.test(file)),
    []
  )
  assert.isAtMost(gzipSync(code, { level: 9 }).byteLength, 12_000)
})
