/** The compiler's messages about a file of a project. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const modules = join(import.meta.dirname, "../../node_modules")

/** The compiler's messages about a file of a project and the types of the package, without those about other libraries. */
export const complaints = (folder: string, file: string, options: Record<string, unknown> = {}) => {
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    typeRoots: [join(modules, "@types")],
    noEmit: true,
    skipLibCheck: false,
    ...options
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }))
  const { stdout } = spawnSync(join(modules, ".bin/tsc"), ["-p", "."], { cwd: folder, encoding: "utf8" })
  return stdout.split("\n").filter((line) => line.startsWith(file) || line.startsWith("node_modules/slipway"))
}
