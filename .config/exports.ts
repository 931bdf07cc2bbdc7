/**
 * The public surface of the package: the names that each entry point of `package.json` exports. `npm run api` writes them to
 * `.config/exports.txt`, so that a review shows when they change.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")
const file = join(import.meta.dirname, "exports.txt")

const declared = /^export (?:declare |abstract |async )*(?:const|function|class|interface|type) (\w+)/gm
const listed = /^export (?:type )?\{([^}]*)\}/gm
const allOfOther = /^export (?:type )?\* from "([^"]+)"/gm
const namespace = /^export \* as (\w+) from/gm

/** The names that a source file exports. */
const namesOf = (source: string): ReadonlyArray<string> => {
  const text = readFileSync(source, "utf8")
  const matches = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, match = ""]) => match)
  const inLists = matches(listed).flatMap((list) =>
    list.split(",").map((one) => one.trim().replace(/^.* as |^type /, ""))
  )
  const ofOthers = matches(allOfOther).flatMap((other) => namesOf(join(dirname(source), other)))
  return [...matches(declared), ...matches(namespace), ...inLists, ...ofOthers].filter((name) => name !== "")
}

/** The name and the source of each entry point. */
export const entrySources = (): ReadonlyArray<readonly [name: string, source: string]> =>
  Object.entries(manifest.exports).flatMap(([name, target]) => {
    if (typeof target === "string") return []
    const pattern = target.types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts")
    return globSync(pattern, { cwd: root }).map((source) => [name.replace(".", "slipway"), join(root, source)] as const)
  })

/** The listing: each entry point, and below it its names in order. */
export const exportsListing = (): string => {
  const texts = entrySources().map(([name, source]) =>
    [name, ...[...new Set(namesOf(source))].toSorted().map((one) => `  ${one}`)].join("\n")
  )
  return `${texts.toSorted().join("\n\n")}\n`
}

/** The committed listing. */
export const committedListing = (): string => readFileSync(file, "utf8")

if (import.meta.main) writeFileSync(file, exportsListing())
