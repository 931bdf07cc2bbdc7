/**
 * Makes the programs that a host provides, `slipway-ci` and `slipway-conformance`: of each the package as `npm pack` makes it, and its
 * one file. `node .config/programs.ts <folder>` is what a host in a checkout runs.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { suite } from "../conformance/run/suite.ts"
import { makeCiPackage } from "./ciPackage.ts"
import { makeConformancePackage } from "./conformancePackage.ts"

/** Packs each of these folders, by the name of its program, into the folder `to`. */
export const packPrograms = (folders: Readonly<Record<string, string>>, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const [name, folder] of Object.entries(folders)) {
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", to], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"]
    }).trim()
    renameSync(join(to, packed), join(to, `${name}.tgz`))
    // Compressed, since every embedder installs it.
    writeFileSync(join(to, `${name}.mjs.gz`), gzipSync(readFileSync(join(folder, "main.js")), { level: 9 }))
  }
}

/** The module that reads the files from the folder `programs` beside `dist/hosts`, in place of `hosts/node/programFiles.ts`. */
export const filesModule = `import { readFile } from "node:fs/promises"
const folder = new URL("dist/programs/", import.meta.resolve("slipway/package.json"))
export const readProgram = (name) => readFile(new URL(name, folder))
`

if (import.meta.main) {
  const [to = ""] = process.argv.slice(2)
  const scratch = mkdtempSync(join(tmpdir(), "slipway-programs-"))
  try {
    const folders = { "slipway-ci": join(scratch, "ci"), "slipway-conformance": join(scratch, "conformance") }
    await makeCiPackage(folders["slipway-ci"])
    await makeConformancePackage(folders["slipway-conformance"], await Effect.runPromise(suite))
    packPrograms(folders, to)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
