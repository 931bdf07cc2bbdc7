import { readdir, realpath, stat } from "node:fs/promises"
import { join, sep } from "node:path"

/** What is below a folder: its files, by relative paths with `/`, in order; and what is left out, with the reason. */
export interface FilesBelow {
  readonly paths: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<string>
}

/**
 * Lists the files below a folder. What is named with a dot first is no part of an app. A link counts as what it leads to,
 * unless that is outside of the folder or isn't there.
 */
export const filesBelow = async (folder: string): Promise<FilesBelow> => {
  const root = await realpath(folder)
  const paths: Array<string> = []
  const leftOut: Array<string> = []
  const visit = async (below: string, above: ReadonlyArray<string>): Promise<void> => {
    for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
      const { name } = entry
      if (name.startsWith(".")) continue
      const path = below === "" ? name : `${below}/${name}`
      if (entry.isFile()) {
        paths.push(path)
        continue
      }
      const real = await realpath(join(root, path)).catch(() => undefined)
      if (real === undefined) leftOut.push(`${path}: it is a link to what isn't there`)
      else if (above.includes(real)) leftOut.push(`${path}: it is a link to a folder that it is in`)
      else if (!real.startsWith(root + sep)) leftOut.push(`${path}: it is a link out of the folder`)
      else if ((await stat(real)).isDirectory()) await visit(path, [...above, real])
      else paths.push(path)
    }
  }
  await visit("", [root])
  return { paths: paths.toSorted(), leftOut }
}
