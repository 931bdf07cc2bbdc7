import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * What this suite checks. A report names it, and only a suite of the same version judges the report again. `node
 * conformance/run/suite.ts` writes the next version after a change of what is sent, required or said; a test requires that.
 */
const known = {
  version: "8",
  digest: "2fe9344bb073b9b594be7de283d0345d4f31c04c1594c4a0d8a290d82aaff5d8"
}

/** The version of this suite, and the lower-case hex SHA-256 of what it checks: see {@link digestOfChecks}. */
export const suite = Effect.succeed(known)

const folder = join(import.meta.dirname, "..")

/** Sources that decide what is sent and what must come back, and how both are recorded. */
const parts: ReadonlyArray<readonly [folder: string, files: RegExp]> = [
  ["checks", /^\w+\.ts$/],
  ["dialect", /^\w+\.ts$/],
  ["requirements", /^(?:builds|previews|testRuns)\.ts$/],
  ["session", /^(?:Session|fileKinds|redaction|replay|tamper)\.ts$/]
]

/** Code without comments, spaces and trailing commas, so that a comment or a formatter doesn't make another suite. */
const bare = (code: string): string =>
  code
    .replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
    .replaceAll(/\s+/g, "")
    .replaceAll(/,(?=[)\]}])/g, "")

/** The digest of what the sources here check. */
export const digestOfChecks = (): string => {
  const files = parts.flatMap(([name, pattern]) =>
    readdirSync(join(folder, name))
      .filter((file) => pattern.test(file) && !file.endsWith(".test.ts"))
      .toSorted()
      .map((file) => [name, file] as const)
  )
  const code = files.map(([name, file]) => [name, file, bare(readFileSync(join(folder, name, file), "utf8"))])
  return createHash("sha256").update(JSON.stringify(code)).digest("hex")
}

if (import.meta.main) {
  const digest = digestOfChecks()
  if (digest !== known.digest) {
    const version = String(Number(known.version) + 1)
    const said = readFileSync(import.meta.filename, "utf8")
    const next = said.replace(/version: "\d+"/, `version: "${version}"`).replace(/digest: "\w+"/, `digest: "${digest}"`)
    writeFileSync(import.meta.filename, next)
    console.log(`The suite is version ${version}. Make its own report again: node conformance/results/own.ts`)
  }
}
