/** Projects of a stranger, outside of this checkout, that install the packed package. */
import { execFile } from "node:child_process"
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { ask } from "../../adapters/postgres/testing/ask.ts"

const root = join(import.meta.dirname, "..", "..")
const run = promisify(execFile)

/** The environment without what npm adds for the scripts of this checkout. */
export const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")))

/** The file that `npm pack` made in this run. */
export const tarball = async (): Promise<string> => {
  const { tarball }: { readonly tarball: string } = JSON.parse(await ask("/packed"))
  return tarball
}

/** What an ended command wrote, and its code. */
export interface Ended {
  readonly code: number
  readonly text: string
}

/** A new project with nothing but a `package.json`. */
export const newProject = (manifest: object = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-project-"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", ...manifest }))
  const order = (command: string, args: ReadonlyArray<string>): Promise<Ended> =>
    run(command, [...args], { cwd: folder, env, maxBuffer: 2 ** 26 }).then(
      ({ stderr, stdout }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stderr, stdout }) => ({ code, text: `${stdout}${stderr}` })
    )
  return {
    folder,
    npm: (...args: ReadonlyArray<string>) => order("npm", [...args, "--no-audit", "--no-fund", "--prefer-offline"]),
    pnpm: (...args: ReadonlyArray<string>) => order(join(root, "node_modules/.bin/pnpm"), args),
    npx: (...args: ReadonlyArray<string>) => order("npx", args),
    node: (program: string) => order(process.execPath, ["--input-type=module", "--eval", program]),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

type Project = ReturnType<typeof newProject>

/** Packs the package in the folder `package` of another one, and installs it into a project. Answers the path of its file. */
export const installPacked = async (project: Project, scratch: string): Promise<string> => {
  await run("npm", ["pack", join(scratch, "package"), "--pack-destination", scratch], { cwd: scratch, env })
  const [file = ""] = globSync(join(scratch, "*.tgz"))
  const { code, text } = await project.npm("install", file)
  if (code !== 0) throw new Error(text)
  return file
}

/** The machine's own Node, of version 20 where it has that; else the one that runs this test. */
export const machineNode = (): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((path) => existsSync(path)) ?? process.execPath
