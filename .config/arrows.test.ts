/** The linter refuses an import against the arrows, with a sentence that says where the code belongs. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { arrows } from "./arrows.ts"
import { circular, importsOf } from "./folders.ts"

const root = join(import.meta.dirname, "..")

interface Import {
  readonly file: string
  readonly imports: string
}

interface Finding extends Import {
  readonly message: string
}

/** The linter's findings in files with one import each, and the number of files. */
const lint = async (cases: ReadonlyArray<Import>) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-arrows-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const paths = cases.map(({ file, imports }, index) => {
    const path = join(folder, String(index), file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `import { value } from "${imports}"\n\nexport const use = () => value\n`)
    return path
  })
  const args = ["-c", join(root, ".config", "oxlint.config.ts"), "-f", "json", ...paths]
  // It exits with 1 when it finds something: what it prints tells.
  const printed = await new Promise<string>((resolve) =>
    execFile(process.execPath, [join(root, "node_modules/oxlint/bin/oxlint"), ...args], (_, stdout) => resolve(stdout))
  )
  const { diagnostics, number_of_files: files } = JSON.parse(printed)
  const found: ReadonlyArray<{ readonly filename: string; readonly help?: string; readonly message: string }> =
    diagnostics
  return {
    files,
    findings: found.flatMap(({ filename, help = "", message }): ReadonlyArray<Finding> => {
      const [, index = "-1"] = new RegExp(`(?:^|/)${folder.slice(1)}/(\\d+)/`).exec(filename) ?? []
      const found = cases[Number(index)]
      return found === undefined ? [] : [{ ...found, message: `${message} ${help}` }]
    })
  }
}

const refused: ReadonlyArray<Import> = [
  { file: "core/model/A.ts", imports: "../rules/builds.ts" },
  { file: "core/model/A.ts", imports: "../ports/ObjectStore.ts" },
  { file: "core/model/A.ts", imports: "../service/Builds.ts" },
  { file: "core/rules/a.ts", imports: "../ports/ObjectStore.ts" },
  { file: "core/rules/a.ts", imports: "../service/Builds.ts" },
  { file: "core/ports/A.ts", imports: "../rules/builds.ts" },
  { file: "core/service/A.ts", imports: "../api/Api.ts" },
  { file: "core/api/a/b.ts", imports: "../../../adapters/memory/index.ts" },
  { file: "core/service/A.ts", imports: "../../hosts/http/routes.ts" },
  { file: "core/rules/a.ts", imports: "node:crypto" },
  { file: "core/service/A.ts", imports: "effect/sql" },
  { file: "core/layer.ts", imports: "@effect/platform-node/NodeHttpServer" },
  { file: "adapters/memory/a.ts", imports: "../../hosts/http/routes.ts" },
  { file: "adapters/memory/a.ts", imports: "../../conformance/index.ts" },
  { file: "hosts/http/a.ts", imports: "../../adapters/memory/index.ts" },
  { file: "hosts/http/a.ts", imports: "../node/server.ts" },
  { file: "hosts/viewer/ui/a.ts", imports: "../../../adapters/memory/index.ts" },
  { file: "hosts/viewer/a.ts", imports: "../node/server.ts" },
  { file: "hosts/viewer/pages/b.ts", imports: "../runs/runs.ts" },
  { file: "hosts/viewer/pages/a.ts", imports: "../account/audit.ts" },
  { file: "hosts/viewer/ui/a.ts", imports: "../session/account.ts" },
  { file: "hosts/phone/a.ts", imports: "../viewer/replay/message.ts" },
  { file: "hosts/phone/packs/a.ts", imports: "../../../core/model/Build.ts" },
  { file: "hosts/phone/packs/svg.ts", imports: "../../viewer/replay/message.ts" },
  { file: "hosts/phone/packs/svg.ts", imports: "./screens.ts" },
  { file: "hosts/phone/views/a.ts", imports: "effect" },
  { file: "hosts/cli/commands/a.ts", imports: "../../../adapters/memory/index.ts" },
  { file: "hosts/node/a.ts", imports: "../cli/main.ts" },
  { file: "hosts/client/a.ts", imports: "effect" },
  { file: "hosts/client/a.ts", imports: "../../core/model/Build.ts" },
  { file: "hosts/client/a.ts", imports: "./effect/index.ts" },
  { file: "hosts/ci/commands/a.ts", imports: "effect" },
  { file: "hosts/ci/commands/a.ts", imports: "../../../core/model/Build.ts" },
  { file: "hosts/ci/a.ts", imports: "../viewer/replay/message.ts" },
  { file: "conformance/checks/a.ts", imports: "../../core/index.ts" }
]

const allowed: ReadonlyArray<Import> = [
  { file: "core/rules/a.ts", imports: "../model/Build.ts" },
  { file: "core/service/A.ts", imports: "../ports/ObjectStore.ts" },
  { file: "core/api/a.ts", imports: "../service/Builds.ts" },
  { file: "adapters/memory/a.ts", imports: "../../core/ports/ObjectStore.ts" },
  { file: "hosts/node/a.ts", imports: "../../adapters/memory/index.ts" },
  { file: "hosts/viewer/pages/c.ts", imports: "../replay/replayPage.ts" },
  { file: "hosts/viewer/replay/a.ts", imports: "../../phone/mountPhone.ts" },
  { file: "hosts/phone/packs/svg.ts", imports: "../views/view.ts" },
  { file: "hosts/phone/packs/expo.ts", imports: "./expoModules.ts" },
  { file: "hosts/phone/modules/a.ts", imports: "../../../core/rules/bundleFormat.ts" },
  { file: "hosts/cli/a.ts", imports: "../node/server.ts" },
  { file: "hosts/client/effect/a.ts", imports: "../../../core/model/Build.ts" },
  { file: "hosts/cli/a.ts", imports: "../../conformance/index.ts" },
  { file: "hosts/ci/a.ts", imports: "../client/index.ts" },
  { file: "hosts/ci/a.ts", imports: "../../core/rules/bundleFormat.ts" },
  { file: "hosts/ci/settings/a.ts", imports: "node:fs" }
]

describe("the arrows between folders", () => {
  it("refuse what goes against them, each arrow with its own sentence, and nothing else", async () => {
    const { files, findings } = await lint([...refused, ...allowed])
    assert.strictEqual(files, refused.length + allowed.length)
    assert.deepStrictEqual(
      findings.map(({ file, imports }) => `${file} imports ${imports}`).toSorted(),
      refused.map(({ file, imports }) => `${file} imports ${imports}`).toSorted()
    )
    const unused = arrows.filter(({ message }) => !findings.some((found) => found.message.includes(message)))
    assert.deepStrictEqual(unused, [])
  })
})

describe("circles of folders", () => {
  const file = (path: string, imports: string) => importsOf(path, `import { a } from "${imports}"\n`)

  it("are found between two folders, between a folder and one within it, and among three", () => {
    const pair = [...file("a/one.ts", "../b/two.ts"), ...file("b/three.ts", "../a/four.ts")]
    const within = [...file("a/one.ts", "./b/two.ts"), ...file("a/b/three.ts", "../four.ts")]
    const three = [...file("a/x.ts", "../b/x.ts"), ...file("b/y.ts", "../c/y.ts"), ...file("c/z.ts", "../a/z.ts")]
    assert.deepStrictEqual(circular([...pair, ...file("c/five.ts", "../a/one.ts")]), pair)
    assert.deepStrictEqual(circular(within), within)
    assert.deepStrictEqual(circular(three), three)
  })

  it("are not seen where all imports lead one way", () => {
    assert.deepStrictEqual(circular([...file("a/one.ts", "./b/two.ts"), ...file("a/b/two.ts", "../c/three.ts")]), [])
    assert.deepStrictEqual(file("a/one.ts", "./two.ts"), [])
  })
})
