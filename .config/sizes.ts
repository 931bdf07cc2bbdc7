/** `npm run sizes` prints how large the repository is. Nothing fails when a number is exceeded. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const root = new URL("..", import.meta.url).pathname
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 25 })
  .trim()
  .split("\n")
const linesOf = (file: string): number => readFileSync(root + file, "utf8").split("\n").length - 1
const sum = (files: ReadonlyArray<string>): number => files.reduce((lines, file) => lines + linesOf(file), 0)

const isCode = (file: string): boolean => /\.(?:ts|tsx|css|js|mjs)$/.test(file) && !/fixtures?\//.test(file)
const isTest = (file: string): boolean => /\.test\.|(?:^|\/)testing\//.test(file)
/** What verifies and measures the product, and its demo. */
const isVerification = (file: string): boolean =>
  /^(?:adapters\/kit|conformance\/(?:mutants|fair)|hosts\/(?:faults|bench|demo))\//.test(file)

const code = tracked.filter((file) => isCode(file) && !/^(?:docs|examples)\//.test(file))
const source = code.filter((file) => !isTest(file))
const verification = source.filter(isVerification)
const product = source.filter((file) => !isVerification(file))

console.table({
  "product source": { files: product.length, lines: sum(product) },
  "verification, benches and demo": { files: verification.length, lines: sum(verification) },
  tests: { files: code.length - source.length, lines: sum(code.filter(isTest)) },
  "source files": { files: source.length, lines: sum(source) },
  "tracked files": { files: tracked.length }
})

const rooms = [...Map.groupBy(code, (file) => file.split("/").slice(0, 2).join("/"))].map(([room, files]) => ({
  room,
  files: files.length,
  source: sum(files.filter((file) => !isTest(file))),
  tests: sum(files.filter(isTest))
}))
console.table(
  rooms.filter((room) => room.source + room.tests > 500).toSorted((a, b) => b.source + b.tests - a.source - a.tests)
)

const largest = code.map((file) => ({ file, lines: linesOf(file) })).toSorted((a, b) => b.lines - a.lines)
console.table(largest.slice(0, 20))
