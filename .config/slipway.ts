/**
 * `npm run slipway`: the command of this checkout. Loading its modules takes most of the time of a short command, so they are bundled
 * in `node_modules/.cache`, again after one has changed. A host and the conformance suite run from the sources.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const cache = join(root, "node_modules/.cache")
const folder = join(cache, "slipway")

const isCurrent = (): boolean => {
  try {
    const { since, sources }: { readonly since: number; readonly sources: ReadonlyArray<string> } = JSON.parse(
      readFileSync(join(folder, "sources.json"), "utf8")
    )
    return sources.every((file) => statSync(join(root, file)).mtimeMs < since)
  } catch {
    return false
  }
}

const bundle = async (): Promise<void> => {
  const since = Date.now()
  const [{ bundleCommand }, { Effect }, { suite }] = await Promise.all([
    import("./command.ts"),
    import("effect"),
    import("../conformance/run/suite.ts")
  ])
  mkdirSync(cache, { recursive: true })
  const to = mkdtempSync(join(cache, "slipway-"))
  const all = await bundleCommand({ main: "hosts/cli/main.ts", to, suite: await Effect.runPromise(suite) })
  // An installation replaces the libraries and this folder together.
  const sources = all.filter((file) => !file.includes("node_modules/"))
  writeFileSync(join(to, "sources.json"), JSON.stringify({ since, sources }))
  rmSync(folder, { recursive: true, force: true })
  renameSync(to, folder)
}

const done = () => true
const failed = () => false

const isBundled =
  !["serve", "conformance"].includes(process.argv[2] ?? "") && (isCurrent() || (await bundle().then(done, failed)))
await import(isBundled ? join(folder, "main.js") : "../hosts/cli/main.ts")
