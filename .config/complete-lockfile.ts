/**
 * Puts back into package-lock.json what npm leaves out when it resolved against a mirror that lacks the packages of
 * other platforms: without an entry for each, `npm ci` calls the lockfile out of sync. It asks the registry for the
 * integrity of what has none, without which npm installs whatever it is sent. Run it after `npm install`, where possible
 * with a registry that has every platform; it prints what it added and which packages the registry lacks, and nothing
 * when the lockfile is whole.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface Entry {
  readonly version?: string | undefined
  readonly dev?: boolean
  readonly integrity?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const file = process.argv[2] ?? join(import.meta.dirname, "..", "package-lock.json")
const lock: { packages: Record<string, Entry> } = JSON.parse(readFileSync(file, "utf8"))

const systems = ["darwin", "linux", "win32", "android", "freebsd", "openharmony"]
const processors = ["arm64", "arm", "x64", "ia32", "ppc64", "riscv64", "s390x"]

/** A platform package says in its name which system, processor and C library it is for. */
const platform = (name: string) => {
  const words = name.split(/[/-]/)
  const found = (of: ReadonlyArray<string>) => of.filter((one) => words.includes(one)).slice(0, 1)
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.some((word) => word.startsWith("gnu"))
      ? ["glibc"]
      : []
  return { cpu: found(processors), os: found(systems), libc }
}

for (const { dev, optionalDependencies } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
    const path = `node_modules/${name}`
    if (path in lock.packages) continue
    const { cpu, libc, os } = platform(name)
    if (cpu.length === 0 || os.length === 0) continue
    lock.packages[path] = Object.assign(
      { version, cpu },
      dev === true ? { dev } : {},
      libc.length === 0 ? {} : { libc },
      { optional: true, os }
    )
    console.log(`${name}@${version}`)
  }
}

/** The integrity of a version; `undefined` if the registry lacks it. */
const integrityOf = (version: string): string | undefined => {
  try {
    return execFileSync("npm", ["view", version, "dist.integrity"], { stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim()
  } catch {
    return undefined
  }
}

for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === "" || entry.link === true || entry.integrity !== undefined) continue
  const version = `${path.replace(/^.*node_modules\//, "")}@${entry.version ?? ""}`
  const integrity = integrityOf(version)
  if (integrity !== undefined) lock.packages[path] = { version: entry.version, integrity, ...entry }
  console.log(
    integrity === undefined ? `${version} has no integrity: the registry lacks it` : `${version}: ${integrity}`
  )
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
