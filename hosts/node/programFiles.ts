/**
 * The files of the programs that a host provides. In a checkout they are made when first requested. `npm run build` replaces this module
 * by one that reads them from the package.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const make = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-programs-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "../../.config/programs.ts"), folder])
  return folder
}

let programsFolder: Promise<string> | undefined

/** The content of a file, such as `slipway-ci.tgz` or `slipway-ci.mjs.gz`. */
export const readProgram = async (name: string): Promise<Uint8Array> =>
  readFile(join(await (programsFolder ??= make()), name))
