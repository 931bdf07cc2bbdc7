import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, it } from "vitest"

/** Every module that importing the core loads, as a fresh process sees it. */
const loaded = async (): Promise<ReadonlyArray<string>> => {
  const program = `
    import { registerHooks } from "node:module"
    const seen = []
    registerHooks({ resolve: (specifier, context, next) => {
      const resolved = next(specifier, context)
      seen.push(resolved.url)
      return resolved
    } })
    const core = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))})
    if (typeof core.layer !== "object") throw new Error("the core did not load")
    console.log(JSON.stringify(seen))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    maxBuffer: 64 * 1024 ** 2
  })
  return JSON.parse(stdout)
}

it("importing the core loads no adapter, no Node module and no server", async () => {
  const urls = await loaded()
  assert.isTrue(urls.some((url) => url.endsWith("/core/service/Builds.ts")))
  const forbidden = /^node:|\/(?:adapters|hosts|conformance)\/|platform-node|sql-pg|aws-sdk|vitest/
  assert.deepStrictEqual(
    urls.filter((url) => forbidden.test(url.replace(/^.*\/node_modules\//, "node_modules/"))),
    []
  )
})
