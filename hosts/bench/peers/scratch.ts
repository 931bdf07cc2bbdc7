/** Installs the peers: packages of npm and programs of Debian, into a folder outside the checkout that later runs use again. */
import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The versions of the peers from npm. */
export const versions = { fastify: "5.12.8", pg: "8.23.1", "turborepo-remote-cache": "2.12.0" }

/** Packages of Debian's archive, unpacked without installation, so that no root is needed. */
const debian = ["wrk", "libluajit-5.1-2", "nginx", "postgresql-15", "libpq5", "rclone"]

export interface Scratch {
  readonly folder: string
  /** The path of a program from Debian; undefined where Debian's archive can't be reached. */
  readonly program: (name: keyof typeof places) => string | undefined
  /** What those programs need in their environment. */
  readonly env: NodeJS.ProcessEnv
}

const places = {
  wrk: "usr/bin/wrk",
  nginx: "usr/sbin/nginx",
  pgbench: "usr/lib/postgresql/15/bin/pgbench",
  rclone: "usr/bin/rclone"
}

const unpack = (folder: string, root: string): void => {
  const downloads = join(folder, "downloads")
  mkdirSync(downloads, { recursive: true })
  for (const name of debian) {
    try {
      execFileSync("apt-get", ["download", "-qq", name], { cwd: downloads, stdio: "ignore" })
    } catch {
      process.stderr.write(`Debian's ${name} can't be had here: its rows are left out\n`)
    }
  }
  for (const file of readdirSync(downloads)) execFileSync("dpkg", ["-x", join(downloads, file), root])
}

export const install = (): Scratch => {
  const folder = join(tmpdir(), `slipway-bench-peers-${process.getuid?.() ?? 0}`)
  mkdirSync(folder, { recursive: true })
  const wanted = JSON.stringify({ private: true, type: "module", dependencies: versions })
  if (!existsSync(join(folder, "node_modules"))) {
    process.stderr.write(`installing ${Object.keys(versions).join(", ")} into ${folder}\n`)
    writeFileSync(join(folder, "package.json"), wanted)
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder, stdio: "ignore" })
  }
  const root = join(folder, "debian")
  if (Object.values(places).some((place) => !existsSync(join(root, place)))) {
    mkdirSync(root, { recursive: true })
    unpack(folder, root)
  }
  const programs = join(import.meta.dirname, "programs")
  for (const file of readdirSync(programs)) copyFileSync(join(programs, file), join(folder, file))
  const libraries = readdirSync(join(root, "usr/lib"), { withFileTypes: true }).filter(({ name }) =>
    name.endsWith("-gnu")
  )
  return {
    folder,
    program: (name) => (existsSync(join(root, places[name])) ? join(root, places[name]) : undefined),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries.map(({ name }) => join(root, "usr/lib", name)).join(":")
    }
  }
}
