/** The code in the pages of the documentation. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** A fenced block of code. */
interface Snippet {
  /** The page and the line of the block: `docs/limits.md:3`. */
  readonly at: string
  readonly language: string
  readonly text: string
  /** Names that a comment `<!-- declare: a, b -->` before the block declares for it. */
  readonly declared: ReadonlyArray<string>
}

/** The pages that users and contributors read. */
export const pages = async (): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const page of glob("{README.md,docs/*.md,.github/*.md,examples/**/*.md}", { cwd: root })) found.push(page)
  return found.toSorted()
}

export const readPage = (page: string): string => readFileSync(join(root, page), "utf8")

/** The blocks of a page. */
export const snippetsOf = (page: string): ReadonlyArray<Snippet> => {
  const text = readPage(page)
  return Array.from(text.matchAll(/(?:<!-- declare: ([^\n]*) -->\n)?^ *```(\w+)\n(.*?)^ *```$/gms), (match) => ({
    at: `${page}:${text.slice(0, match.index).split("\n").length}`,
    language: match[2] ?? "",
    text: match[3] ?? "",
    declared: match[1]?.split(", ") ?? []
  }))
}

/** The shell commands in a block: joined lines without prompts, comments and redirections, split at `|`, `||` and `&&`. */
export const commandsIn = ({ language, text }: Snippet): ReadonlyArray<string> => {
  if (!["sh", "console"].includes(language)) return []
  return text
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .flatMap((line) => (language === "sh" ? [line] : line.startsWith("$ ") ? [line.slice(2)] : []))
    .flatMap((line) => line.replace(/(?:^|\s)#\s.*$/, "").split(/\|\|?|&&/))
    .map((command) => command.replace(/>.*$/, "").trim())
    .filter((command) => command !== "")
}

/** A program of the docs or examples in a new folder beside the sources' node_modules, with its imports of the package replaced by them. */
export const programOf = (text: string) => {
  const folder = mkdtempSync(join(root, "node_modules", ".program-"))
  const file = join(folder, "server.mjs")
  const onSources = text.replaceAll(/"slipway\/(\S+)"/g, (_, path: string) =>
    JSON.stringify(join(root, path.replace(/^client\b/, "hosts/client"), "index.ts"))
  )
  writeFileSync(file, onSources)
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
