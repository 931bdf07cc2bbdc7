/**
 * The public surface of the package: what each entry point of `package.json` exports, with its types as the compiler
 * writes them. It is kept in `docs/api/`, so that a change of it is seen in review; `npm run api` writes it anew.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { glob } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

/** The statements of a file of declarations, without comments. */
const statementsOf = (file: string): ReadonlyArray<string> =>
  readFileSync(file, "utf8")
    .replaceAll(/^ *\/\*\*.*?\*\/\n/gms, "")
    .split(/\n(?=(?:import|export|declare|type|interface|class)\b)/)
    .map((statement) => statement.trim())

const declared = /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/
const fromOther = /^(?:export|import) (?:type )?\{([^}]*)\} from "([^"]+)"/
const allOfOther = /^export \* from "([^"]+)"/
const listed = /^export (?:type )?\{([^}]*)\};?$/

/** The names of a list such as `a, type b as c`: what each is there and what it is called here. */
const namesIn = (list: string): ReadonlyArray<readonly [here: string, there: string]> =>
  list
    .split(",")
    .map((one) => one.trim().replace(/^type /, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [there = one, here = there] = one.split(" as ")
      return [here, there] as const
    })

/** The declarations of a name in a file, or where the file has it from. */
const declarationsOf = (file: string, name: string): ReadonlyArray<string> => {
  const statements = statementsOf(file)
  const own = statements.filter((one) => [name, `${name}_base`].includes(declared.exec(one)?.[1] ?? ""))
  if (own.length > 0) return own
  return statements.flatMap((one) => {
    const [, list = "", from = ""] = fromOther.exec(one) ?? []
    const there = namesIn(list).find(([here]) => here === name)?.[1]
    if (there === undefined) return []
    return from.startsWith(".") ? declarationsOf(besides(file, from), there) : [one]
  })
}

const besides = (file: string, specifier: string): string => join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"))

/** What a file exports: each name with its declarations. */
const exportsOf = (file: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const statement of statementsOf(file).filter((one) => one.startsWith("export"))) {
    const [, all] = allOfOther.exec(statement) ?? []
    if (all !== undefined)
      for (const [name, declarations] of exportsOf(besides(file, all))) found.set(name, declarations)
    const [, list = "", from] = fromOther.exec(statement) ?? listed.exec(statement) ?? []
    for (const [here, there] of namesIn(list)) {
      found.set(here, declarationsOf(from === undefined ? file : besides(file, from), there))
    }
    const own = declared.exec(statement)?.[1]
    if (own !== undefined) found.set(own, declarationsOf(file, own))
  }
  return found
}

/** The entry points of the package, such as `core` and `adapters/memory`, each with its file of declarations. */
const entryPoints = async (): Promise<ReadonlyArray<readonly [name: string, file: string]>> => {
  const found: Array<readonly [string, string]> = []
  for (const [name, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue
    const source = target.types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts")
    for await (const file of glob(source, { cwd: root })) {
      const folder = source.includes("*") ? (file.split("/")[1] ?? "") : ""
      found.push([name.slice(2).replace("*", folder), file.replace(/\.ts$/, ".d.ts")])
    }
  }
  return found.filter(([name]) => name !== "hosts/client").toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** A declaration as the report has it: types are called by their names, not by the files that the compiler found them in. */
const written = (name: string, statement: string): string => {
  const text = statement.replace(/^export /, "").replaceAll(/import\("\.[^"]*"\)\./g, "")
  const own = declared.exec(text)?.[1]
  return own === name || own === `${name}_base` ? text : `// as ${name}\n${text}`
}

const reportOf = (name: string, file: string): string => {
  const exported = [...exportsOf(file)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const declarations = exported.flatMap(([name, statements]) => {
    if (statements.length === 0) throw new Error(`${file} exports ${name}, which is declared nowhere`)
    return statements.map((one) => written(name, one))
  })
  return [
    `# slipway/${name}`,
    "",
    "What this entry point exports. `npm run api` writes this file.",
    "",
    "```ts",
    declarations.join("\n\n"),
    "```",
    ""
  ].join("\n")
}

/** The reports of all entry points, by their files below `docs/api/`. */
export const apiReports = async (): Promise<ReadonlyMap<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-api-"))
  try {
    const build = ["-p", join(import.meta.dirname, "tsconfig.build.json"), "--emitDeclarationOnly", "--outDir", folder]
    const maps = ["--declarationMap", "false"]
    execFileSync(join(root, "node_modules", ".bin", "tsc"), [...build, ...maps], { stdio: "inherit" })
    const entries = (await entryPoints()).filter(([, file]) => existsSync(join(folder, file)))
    return new Map(
      entries.map(([name, file]) => [`${name.replaceAll("/", "-")}.md`, reportOf(name, join(folder, file))])
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
