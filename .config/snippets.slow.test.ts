/** Every TypeScript snippet of the documentation, and the example for Effect, type-check against the sources. */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it, onTestFinished } from "vitest"
import { pages, snippetsOf } from "./testing/snippets.ts"

const root = join(import.meta.dirname, "..")

it("the TypeScript snippets of the documentation type-check", async () => {
  // Beside the node_modules of the sources, so that imports resolve.
  const folder = mkdtempSync(join(root, "node_modules", ".snippets-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const snippets = (await pages()).flatMap(snippetsOf).filter(({ language }) => language === "ts")
  assert.isAbove(snippets.length, 8)
  const files = snippets.map(({ at, declared, text }) => {
    const file = `${at.replaceAll(/\W/g, "-")}.ts`
    writeFileSync(join(folder, file), [...declared.map((name) => `declare const ${name}: any`), text].join("\n"))
    return file
  })
  copyFileSync(join(root, "examples/client/effect.ts"), join(folder, "effect.ts"))
  const compilerOptions = {
    noUnusedLocals: false,
    allowImportingTsExtensions: true,
    paths: {
      "slipway/client": ["../../hosts/client/index.ts"],
      "slipway/client/effect": ["../../hosts/client/effect/index.ts"],
      "slipway/*": ["../../*/index.ts"]
    }
  }
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: [], files: [...files, "effect.ts"] })
  )
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder, encoding: "utf8" })
  assert.strictEqual(stdout, "")
})
