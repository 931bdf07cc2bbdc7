import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const block = 512
const directory = "5"
const file = "0"

/** Writes what a tar archive holds (folders and files with short names) below a folder, readable by its owner alone. */
export const unpack = (archive: Buffer, folder: string): void => {
  mkdirSync(folder, { mode: 0o700 })
  for (let at = 0; at < archive.length && archive[at] !== 0;) {
    const field = (start: number, length: number) =>
      archive.toString("utf8", at + start, at + start + length).replace(/\0.*$/s, "")
    const path = join(folder, field(0, 100))
    const type = field(156, 1)
    const size = Number.parseInt(field(124, 12), 8)
    const start = at + block
    if (type === directory) mkdirSync(path, { recursive: true, mode: 0o700 })
    else if (type === file) writeFileSync(path, archive.subarray(start, start + size), { mode: 0o600 })
    else throw new Error(`The archive holds an entry of the unknown type ${type}`)
    at = start + Math.ceil(size / block) * block
  }
}
