/**
 * Puts back into package-lock.json what npm leaves out when it resolved against a mirror that lacks the packages of
 * other platforms: without an entry for each, `npm ci` calls the lockfile out of sync. Run it after `npm install`; it
 * prints what it added, and nothing when the lockfile is whole.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface Entry {
  readonly version?: string
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const file = join(import.meta.dirname, "..", "package-lock.json")
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

lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
