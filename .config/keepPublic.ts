/** Reduces what the compiler wrote to what the entry points of the package need, and puts the sources of its types beside it. */
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import manifest from "../package.json" with { type: "json" }

/** The entry points that are modules, as patterns of their files. */
const entryPoints = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === "string" ? [] : Object.values(entry)
)

/** The files with this ending that the entry points lead to, by any text between quotes that is the path of a module. */
const reachable = (root: string, ending: ".js" | ".d.ts"): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file) || !existsSync(file)) return
    found.add(file)
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/["'](\.{1,2}\/[^"']+)\.[jt]s["']/g)) {
      visit(join(dirname(file), path + ending))
    }
  }
  for (const pattern of entryPoints.filter((one) => one.endsWith(ending))) {
    for (const file of globSync(pattern, { cwd: root })) visit(join(root, file))
  }
  return found
}

/**
 * Deletes the modules and the types in `dist` that no entry point leads to. The maps of the types, by which an editor goes
 * from a name to its definition, lead to copies of the sources in `dist/src`.
 */
export const keepPublic = ({ dist, root }: { readonly root: string; readonly dist: string }): void => {
  const types = reachable(root, ".d.ts")
  const kept = new Set([...reachable(root, ".js"), ...types, ...Array.from(types, (file) => `${file}.map`)])
  for (const file of globSync("**/*.{js,d.ts,d.ts.map}", { cwd: dist })) {
    if (!kept.has(join(dist, file))) rmSync(join(dist, file))
  }
  for (const file of types) {
    const source = relative(dist, file).replace(/\.d\.ts$/, ".ts")
    const copy = join(dist, "src", source)
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(join(root, source), copy)
    const map: object = JSON.parse(readFileSync(`${file}.map`, "utf8"))
    writeFileSync(`${file}.map`, JSON.stringify({ ...map, sources: [relative(dirname(file), copy)] }))
  }
}
