import { assert, describe, it } from "@effect/vitest"
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { restrictFolder } from "./dataFolder.ts"

const folderOf = (mode: number): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-mode-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, mode)
  return folder
}

describe.skipIf(process.getuid === undefined)("the rights on a data folder", () => {
  it.for([0o755, 0o750, 0o701])("are removed for other users where it has mode %o, with a warning", (mode) => {
    const folder = folderOf(mode)
    assert.include(restrictFolder(folder), `(mode ${mode.toString(8)}): its mode is 700 now`)
    assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
    assert.isUndefined(restrictFolder(folder))
  })

  it("stay as they are where nobody else has any, and a folder that isn't there is none", () => {
    assert.isUndefined(restrictFolder(folderOf(0o700)))
    assert.isUndefined(restrictFolder(join(folderOf(0o700), "none")))
  })

  it("let the group pass through it if a proxy sends files", () => {
    for (const mode of [0o700, 0o710, 0o755]) {
      const folder = folderOf(mode)
      assert.strictEqual(restrictFolder(folder, true) === undefined, mode !== 0o755)
      assert.strictEqual(statSync(folder).mode & 0o777, 0o710)
    }
  })

  it("are warned of where the folder is another user's and every user may open it", ({ skip }) => {
    // Only root can give a folder to another user. For others / is one, except in some containers.
    const folder = process.getuid?.() === 0 ? folderOf(0o755) : "/"
    if (folder !== "/") chownSync(folder, 65_534, 65_534)
    if (statSync(folder).uid === process.getuid?.()) skip("runs as the owner of /")
    assert.match(restrictFolder(folder) ?? "", /^Every user .* chmod o= \//)
  })
})
