/** The configs of examples/conformance are those that the suite runs against hosts of these dialects. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fairHosts } from "../../fair/hosts.ts"
import { fairTarget } from "../../testing/fairTarget.ts"
import { load } from "./load.ts"

const folder = join(import.meta.dirname, "../../../examples/conformance")
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""))

const key = (name: string) => `key-of-${name}`
const account = (owner: string) => ({
  linked: { owner, repo: "app" },
  keys: Object.fromEntries(["all", "builds", "previewUpload", "testRuns"].map((name) => [name, key(owner + name)]))
})

describe("the dialects of the examples", () => {
  it("are two", () => {
    assert.sameMembers(names, ["enveloped", "eventual"])
  })

  for (const name of names) {
    const text = readFileSync(join(folder, `${name}.json`), "utf8")
    it.live(`${name} is the config of a whole run against that host`, () =>
      Effect.gen(function* () {
        const { host, folder } = yield* Effect.acquireRelease(
          Effect.promise(async () => ({
            host: await (fairHosts[name]?.() ?? Promise.reject(new Error(name))),
            folder: mkdtempSync(join(tmpdir(), "slipway-dialect-"))
          })),
          ({ folder, host }) => Effect.promise(() => (rmSync(folder, { recursive: true, force: true }), host.stop()))
        )
        const file = join(folder, "vendor.json")
        const content = { url: host.url, accounts: { a: account("north"), b: account("south") }, ...JSON.parse(text) }
        writeFileSync(file, JSON.stringify(content))
        const { config } = yield* load({ file, flags: [] }).pipe(Effect.provide(NodeServices.layer))
        const known = fairTarget(host).config
        assert.deepStrictEqual([config.bindings, config.windowMs], [known.bindings, known.windowMs])
      }).pipe(Effect.scoped)
    )
  }
})
