/** How large a client is in a browser: minified and gzipped, in bytes. */
import { build } from "esbuild"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

const root = join(import.meta.dirname, "../../..")

/** The code that makes one client, and nothing else. */
const clients = {
  "slipway/client": 'export { createClient, SlipwayError } from "./hosts/client/browser.ts"',
  "slipway/client/effect, with its HTTP client and a runtime":
    'export { SlipwayClient } from "./hosts/client/effect/index.ts"\n' +
    'export { FetchHttpClient } from "effect/http"\nexport { ManagedRuntime } from "effect"',
  "openapi-fetch (no uploads, retries or timeouts)": 'export { default } from "openapi-fetch"'
}

export const sizes = (): Promise<ReadonlyArray<{ readonly name: string; readonly bytes: number }>> =>
  Promise.all(
    Object.entries(clients).map(async ([name, contents]) => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: root, loader: "ts" },
        bundle: true,
        minify: true,
        format: "esm",
        platform: "browser",
        target: "es2022",
        write: false
      })
      return { name, bytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength }
    })
  )
