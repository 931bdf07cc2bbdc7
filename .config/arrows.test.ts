/** The arrows between the folders hold: a wrong import fails the linter with a sentence that says where the code belongs. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it, onTestFinished } from "vitest"

const root = join(import.meta.dirname, "..")

/** What the linter says of a file at this place that imports this. */
const lint = async (file: string, specifier: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-arrows-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, dirname(file)), { recursive: true })
  writeFileSync(join(folder, file), `import { thing } from "${specifier}"\n\nexport const use = () => thing\n`)
  const args = ["-c", join(root, ".config", "oxlint.json"), join(folder, file)]
  return promisify(execFile)(join(root, "node_modules", ".bin", "oxlint"), args).then(
    ({ stdout }) => stdout,
    (failed: { readonly stdout: string }) => failed.stdout
  )
}

describe("an import against the arrows", () => {
  for (const [file, specifier, sentence] of [
    ["core/model/A.ts", "../rules/builds.ts", "What is decided stands above what is talked about"],
    ["core/model/A.ts", "../ports/ObjectStore.ts", "A rule never sees a port"],
    ["core/rules/a.ts", "../ports/ObjectStore.ts", "A rule never sees a port"],
    ["core/rules/a.ts", "../service/Builds.ts", "Only core/api and core/service may use a service"],
    ["core/ports/A.ts", "../rules/builds.ts", "What is decided stands above what is talked about"],
    ["core/service/A.ts", "../api/Api.ts", "How the service speaks belongs above what it does"],
    ["core/api/a/b.ts", "../../../adapters/memory/index.ts", "The core knows nothing of what runs it"],
    ["core/service/A.ts", "../../hosts/http/routes.ts", "The core knows nothing of what runs it"],
    ["core/rules/a.ts", "node:crypto", "The core does no I/O"],
    ["core/service/A.ts", "effect/sql", "The core does no I/O"],
    ["core/layer.ts", "@effect/platform-node/NodeHttpServer", "The core does no I/O"],
    ["adapters/memory/a.ts", "../../hosts/http/routes.ts", "An adapter knows nothing of hosts"],
    ["hosts/http/a.ts", "../../adapters/memory/index.ts", "Only hosts/node chooses engines"],
    ["hosts/http/a.ts", "../node/server.ts", "hosts/http is mounted by the others"],
    ["hosts/viewer/pages/a.ts", "../../../adapters/memory/index.ts", "Only hosts/node chooses engines"],
    ["hosts/viewer/a.ts", "../node/server.ts", "The viewer is mounted by hosts/node"],
    ["hosts/cli/commands/a.ts", "../../../adapters/pglite/index.ts", "Only hosts/node chooses engines"],
    ["hosts/node/a.ts", "../cli/main.ts", "hosts/node is run by the command line"],
    ["conformance/checks/a.ts", "../../core/index.ts", "The conformance suite is a black box"]
  ] as const) {
    it(`${file} → ${specifier} is refused`, async () => {
      const said = (await lint(file, specifier)).replaceAll(/\s+/g, " ")
      assert.include(said, "no-restricted-imports")
      assert.include(said, sentence)
    })
  }

  for (const [file, specifier] of [
    ["core/rules/a.ts", "../model/Build.ts"],
    ["core/service/A.ts", "../ports/ObjectStore.ts"],
    ["core/api/a.ts", "../service/Builds.ts"],
    ["adapters/memory/a.ts", "../../core/ports/ObjectStore.ts"],
    ["hosts/node/a.ts", "../../adapters/memory/index.ts"],
    ["hosts/cli/a.ts", "../node/server.ts"]
  ] as const) {
    it(`${file} → ${specifier} is let be`, async () => {
      assert.notInclude(await lint(file, specifier), "no-restricted-imports")
    })
  }
})
