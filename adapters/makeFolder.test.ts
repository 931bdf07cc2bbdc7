import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { makeFolder } from "./makeFolder.ts"

const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-folders-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe("a folder", () => {
  it("is made with those above it, for its owner only, and is left as it is when it exists", () => {
    const root = scratch()
    const path = join(root, "a", "b", "c")
    assert.strictEqual(makeFolder(path), join(root, "a"))
    assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    assert.isUndefined(makeFolder(path))
  })

  it("is not made over a file or below one", () => {
    const file = join(scratch(), "file")
    writeFileSync(file, "")
    assert.throws(() => makeFolder(file), /EEXIST/)
    assert.throws(() => makeFolder(join(file, "below")), /ENOTDIR/)
  })

  it.skipIf(!existsSync("/proc/self"))("is refused where the system has no folders", () => {
    assert.throws(() => makeFolder("/proc/slipway/data"), /ENOENT/)
  })
})
