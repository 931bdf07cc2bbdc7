/**
 * Writes the reference of the package's exports to `dist/api/`, one Markdown file for each entry point, from the declarations in `dist/`.
 * A name without a docstring fails the build.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { dirname, join } from "node:path"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

/** The module of each entry point, by its name without `slipway/`. */
const modules = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [{ name: name.slice(2), file: target.types.replace("./dist/", "") }]
)

/**
 * A service as a class with its members: the compiler writes them into the type of a constant, the base of the class, where the
 * reference would not show them.
 */
const withMembers = (declarations: string): string => {
  const members = new Map<string, string>()
  const rest = declarations.replaceAll(
    /^declare const (\w+)_base: Context\.ServiceClass<\1, "[^"]*", \{\n([^]*?)^\}>;\n/gm,
    (_, name: string, text: string) => {
      members.set(name, text)
      return ""
    }
  )
  return rest.replaceAll(
    /^(export declare class (\w+)) extends \2_base \{\n/gm,
    (declared, named: string, name: string) =>
      members.has(name) ? `${named} {\n    private constructor();\n${members.get(name)}` : declared
  )
}

export const writeApiReference = async (dist: string): Promise<void> => {
  // TypeDoc needs the JavaScript API of TypeScript, which version 7 doesn't have.
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-6" : specifier, context)
  })
  const { Application } = await import("typedoc")
  const folder = join(dist, "api-types")
  const names = new Map(modules.map(({ file, name }) => [file, name]))
  try {
    for (const file of globSync("**/*.d.ts", { cwd: dist, exclude: ["src/**", "api-types/**"] })) {
      const declarations = withMembers(readFileSync(join(dist, file), "utf8"))
      const name = names.get(file)
      const at = join(folder, file)
      mkdirSync(dirname(at), { recursive: true })
      // The first comment describes the entry point.
      writeFileSync(
        at,
        name === undefined ? declarations : declarations.replace(" */", ` * @module slipway/${name}\n */`)
      )
    }
    const compilerOptions = { strict: true, module: "nodenext", target: "es2024", skipLibCheck: true, types: ["node"] }
    const tsconfig = join(folder, "tsconfig.json")
    writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: modules.map(({ file }) => file) }))
    const app = await Application.bootstrapWithPlugins({
      tsconfig,
      entryPoints: modules.map(({ file }) => join(folder, file)),
      plugin: ["typedoc-plugin-markdown"],
      out: join(dist, "api"),
      name: "slipway",
      readme: "none",
      outputFileStrategy: "modules",
      hidePageHeader: true,
      hideBreadcrumbs: true,
      parametersFormat: "table",
      validation: { notExported: false, invalidLink: false },
      basePath: folder,
      disableSources: true,
      disableGit: true,
      excludeExternals: true,
      excludePrivate: true,
      skipErrorChecking: true,
      logLevel: "Error"
    })
    const project = await app.convert()
    if (project === undefined) throw new Error("TypeDoc can't read the declarations in dist/")
    const undocumented = project.children?.flatMap(({ children = [], name: of }) => {
      // What two modules export is documented in one of them.
      const documented = children.filter(
        (one) => one.isReference() || one.hasComment() || one.signatures?.some((call) => call.hasComment())
      )
      const known = new Set(documented.map(({ name }) => name))
      return children.filter(({ name }) => !known.has(name)).map(({ name }) => `${name} of ${of}`)
    })
    if (undocumented?.length !== 0) throw new Error(`These exports have no docstring: ${undocumented?.join(", ")}`)
    await app.generateOutputs(project)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await writeApiReference(join(root, "dist"))
