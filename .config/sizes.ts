/** `npm run sizes` prints how large the repository is, by the rules of CONTRIBUTING.md. Nothing fails when a number is exceeded. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const root = new URL("..", import.meta.url).pathname
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 25 })
  .trim()
  .split("\n")
const linesOf = (file: string): number => readFileSync(root + file, "utf8").split("\n").length - 1

const isCode = (file: string): boolean => /\.(?:ts|tsx|css|js|mjs)$/.test(file) && !/fixtures?\//.test(file)
const isTest = (file: string): boolean => /\.test\.|(?:^|\/)testing\//.test(file)
const code = tracked.filter((file) => isCode(file) && !/^(?:docs|examples)\//.test(file))
const groups = {
  source: code.filter((file) => !isTest(file)),
  tests: code.filter(isTest),
  documentation: tracked.filter((file) => /^docs\/[^/]+\.md$/.test(file))
}
const sum = (files: ReadonlyArray<string>): number => files.reduce((lines, file) => lines + linesOf(file), 0)

const counts = {
  "source lines": sum(groups.source),
  "test lines": sum(groups.tests),
  "tracked files": tracked.length,
  "lines of docs/*.md": sum(groups.documentation)
}
console.table(Object.fromEntries(Object.entries(counts).map(([what, count]) => [what, { count }])))

const perRoom = Map.groupBy(code, (file) => file.split("/").slice(0, 2).join("/"))
const rooms = [...perRoom].map(([room, files]) => ({
  room,
  source: sum(files.filter((file) => !isTest(file))),
  tests: sum(files.filter(isTest))
}))
console.table(
  rooms.filter(({ source, tests }) => source + tests > 500).toSorted((a, b) => b.source + b.tests - a.source - a.tests)
)

const largest = code.map((file) => ({ file, lines: linesOf(file) })).toSorted((a, b) => b.lines - a.lines)
console.table(largest.slice(0, 20))
