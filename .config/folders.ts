/**
 * Which folders import which, and where they do so in a circle. `node .config/folders.ts` prints the circles of the
 * repository and fails when there is one; tests and their helpers (`*.test.ts`, `testing/`) are left out.
 */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { dirname, join, normalize } from "node:path"

/** A file that imports another one, in another folder. */
export interface Import {
  readonly from: string
  readonly to: string
}

const importPattern = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g
const isTest = (file: string): boolean => /\.test\.ts$|(?:^|\/)testing\//.test(file)

/** What a file imports from other folders. */
export const importsOf = (file: string, text: string): ReadonlyArray<Import> =>
  Array.from(text.matchAll(importPattern), ([, specifier = ""]) => normalize(join(dirname(file), specifier)))
    .filter((to) => dirname(to) !== dirname(file))
    .map((to) => ({ from: file, to }))

/** The folders that can be reached from one, itself only where a circle leads back to it. */
const reachable = (start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const one of next.get(folder) ?? []) {
      if (seen.has(one)) continue
      seen.add(one)
      open.push(one)
    }
  }
  return seen
}

/** The imports that lie on a circle of folders. */
export const circular = (imports: ReadonlyArray<Import>): ReadonlyArray<Import> => {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    next.set(dirname(from), (next.get(dirname(from)) ?? new Set()).add(dirname(to)))
  }
  const reached = new Map([...next.keys()].map((folder) => [folder, reachable(folder, next)]))
  return imports.filter(({ from, to }) => reached.get(dirname(to))?.has(dirname(from)) === true)
}

/** Every import between folders of the sources below a folder. */
const importsBelow = async (root: string): Promise<ReadonlyArray<Import>> => {
  const found: Array<Import> = []
  for await (const file of glob("{core,adapters,hosts,conformance}/**/*.{ts,tsx,js,jsx}", { cwd: root })) {
    if (!isTest(file)) found.push(...importsOf(file, readFileSync(join(root, file), "utf8")))
  }
  return found
}

if (import.meta.main) {
  const found = circular(await importsBelow(join(import.meta.dirname, "..")))
  for (const { from, to } of found) console.error(`${from} imports ${to}: a circle of folders`)
  console.error(`${found.length} imports on circles of folders`)
  process.exitCode = found.length === 0 ? 0 : 1
}
